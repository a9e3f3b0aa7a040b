import type { FindKind } from '../text/finds.ts';

/** What can be listed or counted by how it is written or by its place. */
export type Listed = FindKind | 'heading' | 'file' | 'page' | 'word' | 'sentence' | 'character';

/** What the user wants done. */
export type Intent =
	| {
			readonly kind: 'ask' | 'greeting' | 'thanks' | 'about' | 'beyond' | 'summary' | 'compare' | 'quote' | 'page';
	  }
	| { readonly kind: 'list' | 'count'; readonly what: Listed }
	| { readonly kind: 'count-of'; readonly phrase: string };

const nouns: readonly (readonly [RegExp, Listed])[] = [
	[/\b(?:dates|days and dates)\b/i, 'date'],
	[/\b(?:amounts?(?: of money)?|sums|prices|costs|monetary|money)\b/i, 'amount'],
	[/\be-?mails?(?: address(?:es)?)?\b/i, 'email'],
	[/\b(?:links?|urls?|web ?sites?|web addresses)\b/i, 'link'],
	[/\b(?:tele)?phone(?: number)?s?\b/i, 'phone'],
	[/\bpercentages\b/i, 'percentage'],
	[/\btimes of day\b/i, 'time'],
	[/\b(?:headings|headers|headlines|titles|table of contents|outline|sections|chapters|toc)\b/i, 'heading'],
	[/\bwords?\b/i, 'word'],
	[/\bsentences\b/i, 'sentence'],
	[/\b(?:characters|letters)\b/i, 'character'],
	[/\b(?:files?|documents?|attachments?|pdfs?)\b/i, 'file'],
	[/\bpages\b/i, 'page'],
];

const greeting =
	/^(?:hi|hello|hey|hallo|good (?:morning|afternoon|evening|day)|greetings)\b[\s,!.]*(?:there|everybody|plinth)?[\s!.,]*(?:how are you\??)?$/i;
const thanks = /^(?:thanks?|thank you|thx|great|perfect|ok(?:ay)?|cool|nice|bye|goodbye)\b[^?]{0,40}$/i;
const about =
	/\b(?:what (?:can|do) you (?:do|know|offer)|who are you|what are you|how do (?:you|i) (?:work|use)|what (?:model|kind of model)|are you (?:a|an) \w+|your (?:name|capabilities))\b|^help[\s!.?]*$/i;
const beyond =
	/\b(?:translate|translation|rewrite|rephrase|paraphrase|proofread|draw|paint|sing|tell (?:me )?a joke)\b|\b(?:write|compose|create|make up|invent|generate)\b[^.?]{0,30}\b(?:poem|story|song|essay|letter|haiku|joke|code|program|script|function|article|e-?mail|speech|image|picture|blog|tweet|recipe)\b|\b(?:in|into|to) (?:german|french|spanish|italian|polish|chinese|japanese|dutch|portuguese|russian)\b/i;
const arithmetic =
	/^(?:what(?:'s| is)|calculate|compute|how much is|solve)?\s*[-(\d][\d\s.,()]*(?:\s*(?:[-+*/×÷^x%]|plus|minus|times|divided by)\s*[-(\d][\d\s.,()]*)+[=?\s]*$/i;
const thing =
	'(?:document|file|text|pdf|paper|report|page|attachment|article|letter|book|contract|presentation|passage|chapter)';
const summary = new RegExp(
	[
		'\\bsummar(?:y|ies|i[sz]e[sd]?|i[sz]ing)\\b',
		'\\btl;?\\s?dr\\b|\\boverview\\b|\\bgist\\b|\\b(?:key|main|most important) (?:points?|ideas?|facts?|takeaways?|messages?)\\b',
		`\\bwhat (?:is|are|'s) (?:it|this|that|they|(?:this|the|these|my) (?:\\w+ )?${thing}s?) (?:all )?about\\b`,
		`\\bwhat(?:'s| is| are| stands)? in (?:it|this|(?:this|the|these|my) ${thing}s?)\\s*\\??$`,
		`\\bwhat (?:does|do) (?:it|this|(?:this|the|these) ${thing}s?) (?:say|contain|describe|cover|discuss)\\s*\\??$`,
		`\\b(?:describe|explain) (?:it|this|(?:this|the|these|my) ${thing}s?)\\s*[.!]?$`,
	].join('|'),
	'i',
);
const compare =
	/\bcompar(?:e|es|ed|ing|ison)\b|\bdiffer(?:s|ences?)?\b|\bin common\b|\bwhat (?:has )?changed\b|\bdiff\b|\bwhat do (?:both|the two)\b/i;
const quote =
	/\b(?:quote|cite)\b|\b(?:which|what|find|show|give)\b[^.?]{0,20}\b(?:sentence|line|passage)s?\b[^.?]{0,12}\b(?:with|contain\w*|mention\w*|that|where|about|has|says?)\b/i;
const page =
	/^(?:and )?(?:please )?(?:what(?:'s| is| stands)?|show(?: me)?|read(?: me)?|give me|tell me what is|what does it say)\b(?: the)?(?: text)?(?: written)?\s*(?:on|of|at|about)?\s*(?:the )?(?:pages?|p\.)\s*\d+(?:\s*(?:-|–|to|and)\s*\d+)?\b[^?]{0,12}\??$|^what(?: does|'s)? (?:the )?(?:pages? \d+|(?:first|last) page) says?\??$|^(?:what is|show(?: me)?|read) (?:on )?the (?:first|last) page\??$/i;
const counts =
	/\bhow many\b|\bcount\b|\bnumber of\b|\bword count\b|\bhow (?:long|big) is (?:it|this|the (?:document|text|file|pdf))\b/i;
const lists = /\b(?:list|show|find|extract|enumerate|give|collect|get)\b|^(?:all|which|what|every)\b/i;
/** “dates?” is meant as a command. */
const bare = /^(?=\S+(?: \S+)?$)/;
const occurrences = [
	/\bhow (?:many times|often) (?:is|are|was|were|does|do|did|has|have)?\s*(?:the )?(?:word|term|phrase|name|string)?s?\s*(.+?)\s*(?:been )?(?:mentioned|appears?|occurs?|used|named|written|comes? up|stands?|shows? up|said)\b/i,
	/\b(?:how many|number of|count(?: the| all)?) (?:occurrences?|mentions?|instances?|uses?|times) of (?:the )?(?:word|term|phrase|name)?\s*(.+?)(?:\s+(?:in|on) (?:the|this|these|page|all)\b.*)?[?.!]*$/i,
	/\bcount (?:the )?(?:word|term|phrase|name)s? (.+?)(?:\s+(?:in|on) (?:the|this|these|page|all)\b.*)?[?.!]*$/i,
];

/** Reads what a turn wants done; `ask` is what is left. */
export function intentOf(text: string): Intent {
	const said = text.trim();
	if (greeting.test(said)) return { kind: 'greeting' };
	if (thanks.test(said)) return { kind: 'thanks' };
	if (about.test(said)) return { kind: 'about' };
	if (arithmetic.test(said) || beyond.test(withoutQuotes(said))) return { kind: 'beyond' };
	const phrase = occurrences.map((pattern) => pattern.exec(said)?.[1]).find((found) => found);
	if (phrase) return { kind: 'count-of', phrase: phrase.replace(/^["“'‘«]|["”'’»]$/g, '') };
	if (compare.test(said)) return { kind: 'compare' };
	if (summary.test(said)) return { kind: 'summary' };
	if (page.test(said)) return { kind: 'page' };
	if (quote.test(said)) return { kind: 'quote' };
	return inventory(said) ?? { kind: 'ask' };
}

function inventory(said: string): Intent | undefined {
	const counting = counts.exec(said);
	const listing = lists.exec(said);
	const verb = counting ?? listing ?? bare.exec(said);
	if (!verb) return undefined;
	// Only the noun right behind the verb is what is wanted: “how many people use e-mail” counts no addresses.
	const object = said.slice(verb.index + verb[0].length, verb.index + verb[0].length + 48);
	const near =
		/^(?:\s*(?:me|the|all|of|different|unique|its|their|e-mail|are|is|every|any|each|distinct|attached|mentioned|names?)\b)*\s*/i.exec(
			object,
		)?.[0].length ?? 0;
	if (counting?.[0].startsWith('how long') || counting?.[0].startsWith('how big') || /word count/i.test(said))
		return { kind: 'count', what: 'word' };
	const what = nouns.find(([pattern]) => {
		const at = pattern.exec(object)?.index ?? -1;
		return at >= 0 && at <= near;
	})?.[1];
	if (!what) return undefined;
	if (counting) return { kind: 'count', what };
	return isPlural(what, said) ? { kind: 'list', what } : undefined;
}

/** “What is the e-mail address of X?” asks for one. */
function isPlural(what: Listed, said: string): boolean {
	if (['word', 'sentence', 'character', 'page'].includes(what)) return false;
	if (what === 'file')
		return /\b(?:files|documents|attachments|pdfs)\b/i.test(said) && !/\b(?:say|mention|contain|about)\b/i.test(said);
	return (
		/\b(?:e-?mails|addresses|links|urls|sites|numbers|amounts|sums|prices|costs|dates|percentages|times|headings|headers|headlines|titles|contents|outline|sections|chapters|toc)\b/i.test(
			said,
		) && !/\b(?:of|for|from) (?:the )?\p{Lu}/u.test(said)
	);
}

function withoutQuotes(text: string): string {
	return text.replace(/“[^”]*”|"[^"]*"/g, '');
}
