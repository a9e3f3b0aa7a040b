import { type FindKind, figuresOf, findAll } from '../text/finds.ts';
import { termsOf } from '../text/words.ts';

/** What kind of thing an answer is. */
export type Want =
	| 'date'
	| 'duration'
	| 'amount'
	| 'number'
	| 'percentage'
	| 'person'
	| 'place'
	| 'email'
	| 'phone'
	| 'link'
	| 'time'
	| 'reason'
	| 'definition'
	| 'page'
	| 'list'
	| 'measure'
	| 'frequency'
	| 'condition'
	| 'yes-no'
	| 'anything';

const nounsOfMoney =
	'(?:price|cost|fee|salary|amount|total|sum|budget|revenue|profit|turnover|balance|fine|penalty|rent|deposit|airfare|dividend|wage|charge|tax)';

const asked: readonly (readonly [RegExp, Want])[] = [
	[/\b(?:which|what) pages?\b|\bpage number\b|^where (?:in|on) (?:the|this|which) (?:document|file|pdf|text)/i, 'page'],
	[/\be-?mail(?: address(?:es)?)?\b/i, 'email'],
	[/\b(?:tele)?phone\b|\bfax\b/i, 'phone'],
	[/\bweb ?site\b|\burl\b|\blink\b|\bweb address\b/i, 'link'],
	[/\bhow often\b|\bhow frequently\b/i, 'frequency'],
	[
		/\bhow long\b|\bduration\b|\bhow old\b|\bwithin (?:how many|what)\b|\bhow many (?:years?|months?|weeks?|days?|hours?|minutes?)\b/i,
		'duration',
	],
	[
		/\b(?:what|which) percent(?:age)?\b|\bwhat share\b|\bhow many percent\b|^(?:what|how much|how big|which)\b.*\b(?:increases?|discount|interest rate|growth)\b/i,
		'percentage',
	],
	[/\b(?:what|which) time\b/i, 'time'],
	[/^what (?:happens|if)\b|\bwhat happens\b|\bin which case\b|\bunder (?:what|which)\b/i, 'condition'],
	[
		/\bwhen\b|\b(?:what|which) (?:is the )?(?:\w+ )?(?:date|year|day|month)\b|\bdeadline\b|\bdue date\b|\bsince when\b/i,
		'date',
	],
	[
		/\bhow (?:large|big|tall|high|heavy|far|deep|wide|hot|cold|fast)\b|\bhow many (?:grams|litres|liters|kilograms|metres|meters|miles|watts|degrees)\b|\b(?:what|which) (?:temperature|size|weight|length|height|distance|capacity|area|speed)\b|\bhow much (?:water|milk|coffee|space|room|power|weight|energy|fuel)\b/i,
		'measure',
	],
	[/\bwho(?:m|se)?\b|\bwhich (?:person|company|judge|author|president)\b|\bname of the\b/i, 'person'],
	[/\bwhere\b|\b(?:which|what) (?:city|country|town|place|address|state|location)\b/i, 'place'],
	[/\bwhy\b|\breasons?\b|\bwhat for\b/i, 'reason'],
	[
		new RegExp(
			`^(?:[\\p{L}\\d'’-]+ ){0,5}${nounsOfMoney}s?(?: (?:of|for|per) [^?]{1,40})?\\W*$|\\bhow much\\b|^(?:what|which|give|tell|and)\\b.*\\b${nounsOfMoney}s?\\b|\\bhow (?:high|large|big) (?:is|was|are|were) the (?:\\w+ )?${nounsOfMoney}`,
			'iu',
		),
		'amount',
	],
	[/\bhow many\b|\bpopulation\b|\bnumbers?\b/i, 'number'],
	[
		/^(?:please )?(?:list|enumerate|name)\b|^(?:what|which) (?:are|were) (?:the|its|their|all|\w+ (?:of|for)\b)/i,
		'list',
	],
	[
		/^(?:what|who) (?:is|are|was|were) (?:(?:a|an|the|meant by) )?[^?]{2,60}\??$|\bdefin(?:e|ition)\b|\bmean(?:s|ing)?\b|\bstands? for\b/i,
		'definition',
	],
	[/^(?:is|are|was|were|does|do|did|has|have|had|can|could|may|must|should|shall|will|would)\b/i, 'yes-no'],
];

const numberWord =
	'(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred)';
const durations = new RegExp(
	`(?:\\d+(?:[.,]\\d+)?|${numberWord}|\\ba|\\bhalf)[\\s-]+(?:\\(\\d+\\)\\s*)?(?:more |business |working |calendar )?(?:year|month|week|day|hour|minute|second|decade|centur)\\p{L}*`,
	'giu',
);
const counts = new RegExp(
	`(?<![\\p{L}\\d.,])(?:\\d(?:[\\d.,]*\\d)?(?: (?:million|billion|thousand))?|${numberWord})(?![\\p{L}\\d])`,
	'giu',
);
const numberWords = new RegExp(`\\b${numberWord}\\b`, 'gi');
const years = /(?<![\d.,/-])(?:1[4-9]|20)\d{2}(?![\d.,]*\d)/g;
const names =
	/(?:\b(?:Mr|Ms|Mrs|Dr|Prof|President|Judge|Justice|Sen|Senator)\.? )?\p{Lu}[\p{L}'’.-]+(?:,? (?:of |de |van |von |the )?\p{Lu}[\p{L}'’.]*){1,4}|\b(?:Mr|Ms|Mrs|Dr|Prof|President)\.? \p{Lu}\p{L}+/gu;
const places = /\b(?:in|at|from|to|near) (?:the )?\p{Lu}[\p{L}'’.-]+(?:,? (?:of )?\p{Lu}[\p{L}'’.]*){0,4}/gu;
const reasons =
	/\b(?:because|since|due to|in order to|so that|as a result|therefore|the reason|owing to|to ensure|to assure)\b/gi;

const measured =
	'(?:square (?:feet|metres|meters|miles|kilometres)|[mµ]?l|litres?|liters?|millilitres?|gallons?|[mk]?g|grams?|kilograms?|tonnes?|tons?|pounds?|lbs?|ounces?|[mck]?m|metres?|meters?|centimetres?|millimetres?|kilometres?|miles?|feet|foot|inch(?:es)?|yards?|hectares?|acres?|degrees?(?: Celsius| Fahrenheit)?|°\\s?[CF]?|watts?|k?W|kWh|volts?|V|amps?|bar|[kMGT]B|pixels?|points?|people|passengers|seats|m²|m³|km/h|mph)';
const measures = new RegExp(`(?:\\d[\\d.,]*|${numberWord})[\\s-]?${measured}(?![\\p{L}])`, 'giu');
const frequencies =
	/\b(?:once|twice|daily|weekly|monthly|yearly|annually|quarterly|(?:each|every|per|an?) (?:\w+ (?:to \w+ )?)?(?:days?|weeks?|months?|years?|hours?|use|time|cups?)|\w+ times)\b/gi;
const conditions = /\b(?:if|in case|unless|otherwise|default|fails?|in the event)\b/gi;

const contacts: ReadonlySet<Want> = new Set(['email', 'phone', 'link']);

/** What kind of thing a question asks for. */
export function wantOf(question: string): Want {
	// “Who invented the telephone?” asks for no number.
	const isOther = /^(?:who|when|where|why|how)\b/i.test(question.trim());
	const fitting = asked.find(([pattern, want]) => !(isOther && contacts.has(want)) && pattern.test(question));
	return fitting?.[1] ?? 'anything';
}

/** The things of that kind in a text, as they stand there; none for kinds that are not told by how they are written. */
export function thingsIn(text: string, want: Want): readonly string[] {
	switch (want) {
		case 'date':
			return firstOf(found(text, 'date'), matches(text, years));
		case 'duration':
			return matches(text, durations);
		case 'amount':
			return firstOf(found(text, 'amount'), found(text, 'decimal'), found(text, 'percentage'), matches(text, measures));
		case 'percentage':
			return found(text, 'percentage');
		case 'number':
			return firstOf(
				figuresOf(text).map((figure) => figure.text),
				matches(text, numberWords),
			);
		case 'person':
			return namesIn(text);
		case 'measure':
			return matches(text, measures);
		case 'frequency':
			return matches(text, frequencies);
		case 'condition':
			return matches(text, conditions);
		case 'place':
			return matches(text, places);
		case 'reason':
			return matches(text, reasons);
		case 'email':
		case 'phone':
		case 'link':
		case 'time':
			return found(text, want);
		default:
			return [];
	}
}

/** The words of a question that mean money, as stems. */
export function moneyIn(question: string): readonly string[] {
	return termsOf((question.match(new RegExp(`\\b${nounsOfMoney}s?\\b`, 'gi')) ?? []).join(' '));
}

/** Whether an amount of money stands in a text. */
export function holdsMoney(text: string): boolean {
	return found(text, 'amount').length + found(text, 'decimal').length > 0;
}

/** Numbers in front of what is counted: `three` of `three copies` where the question says “how many copies”. */
export function countsIn(text: string, question: string): readonly string[] {
	const counted = /\bhow many ((?:\p{L}+ ?){1,2})/iu.exec(question)?.[1];
	if (!counted) return thingsIn(text, 'number');
	const wanted = new Set(termsOf(counted));
	const behind = (at: number) => termsOf(text.slice(at, at + 40)).slice(0, 3);
	return [...text.matchAll(counts)]
		.filter(({ 0: count, index }) => behind(index + count.length).some((term) => wanted.has(term)))
		.map(([count]) => count);
}

/** In a text in capitals every word looks like a name; elsewhere words in capitals are none. */
function namesIn(text: string): readonly string[] {
	const found = matches(text, names);
	return /\p{Ll}{3}/u.test(text) ? found.filter((name) => /\p{Ll}/u.test(name)) : found;
}

function found(text: string, kind: FindKind): readonly string[] {
	return findAll(text, kind).map((find) => find.text);
}

function matches(text: string, pattern: RegExp): readonly string[] {
	return text.match(pattern) ?? [];
}

function firstOf(...lists: readonly (readonly string[])[]): readonly string[] {
	return lists.find((list) => list.length > 0) ?? [];
}
