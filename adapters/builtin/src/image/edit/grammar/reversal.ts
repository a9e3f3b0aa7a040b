import type { Clause } from './clauses.ts';
import { directionOf, isFiller, isNegation, strengthOf } from './fillers.ts';
import { isWord } from './reader.ts';
import { type Token, wordOf } from './tokens.ts';
import type { Verb } from './verb.ts';

/** What does the opposite of an operation, by its name. `args` are for where the opposite is milder than usual. */
export type Opposites = Readonly<
	Record<
		string,
		{
			readonly verb: Verb;
			readonly args?: Readonly<Record<string, unknown>>;
			/** Set where it takes all of it away, so that it does not stand for less. */
			readonly removes?: true;
		}
	>
>;

/** A clause that asks for less of something. */
export interface Reversed {
	/** The clause that does the opposite; absent where nothing does. */
	readonly clause?: Clause;
	readonly args?: Readonly<Record<string, unknown>>;
	/** What cannot be done, where nothing does the opposite. */
	readonly lacks: string;
	/** Words like it that follow are meant too: `remove the noise and the vignette`. */
	readonly carries: string;
}

/** What stands in the way where an effect is to be taken out of a picture. */
export const INSEPARABLE = 'cannot take away what is in the picture';

const lessenings = new Set(
	'less reduce reduced reducing decrease decreased decreasing lower lowered weaker minimize'.split(' '),
);
const repairs = new Set(['fix', 'fixes', 'correct']);
const removals = new Set('remove removes removing delete undo erase'.split(' '));

/** What a clause asks to have less of, if it does; `carried` is the word of the clause before that still holds. */
export function reversalOf(clause: Clause, opposites: Opposites, carried: string | undefined): Reversed | undefined {
	const [verb] = clause.verbs;
	if (!verb) return undefined;
	if (clause.before.some((token) => isWord(token) && isNegation(token.text) && !lessens(token))) {
		return undefined;
	}
	const own = clause.words.find((token) => lessens(token) && isAbout(clause, token));
	const word = wordOf(own) ?? carried;
	if (word === undefined) return undefined;
	const isRemoval = removals.has(word);
	if (!isRemoval && takesDirection(verb)) return undefined;
	const said = `${word} ${clause.called.map((token) => wordOf(token)).join(' ')}`;
	const result = { lacks: `${said} (${INSEPARABLE})`, carries: word };
	const opposite = clause.verbs.map(({ name }) => opposites[name]).find((one) => one && (isRemoval || !one.removes));
	// Who asks to fix something does not ask for less of it.
	if (!opposite) return repairs.has(word) ? undefined : result;
	const drop = (token: Token): boolean => token !== own && !lessens(token);
	return {
		...result,
		...(opposite.args && { args: opposite.args }),
		clause: {
			...clause,
			verbs: [opposite.verb],
			words: clause.words.filter(drop),
			before: clause.before.filter(drop),
		},
	};
}

function lessens(token: Token): boolean {
	return isWord(token) && [lessenings, removals, repairs].some((words) => words.has(token.text));
}

/** Whether nothing but small words stands between such a word and the verb; `lower` may be a place. */
function isAbout({ all, called }: Clause, token: Token): boolean {
	const [at, verbAt] = [all.indexOf(token), all.indexOf(called[0] as Token)];
	if (wordOf(token) === 'lower' && parts.has(wordOf(all[at + 1]) ?? '')) return false;
	if (at > verbAt) return wordOf(token) === 'less' && at === all.length - 1;
	// In `a less thick border` it is about the thickness.
	const isLess = wordOf(token) === 'less';
	return all.slice(at + 1, verbAt).every((one) => isWord(one) && (isSmall(one.text, isLess) || lessens(one)));
}

const parts = new Set('half third quarter part left right corner side edge area region portion'.split(' '));

function isSmall(text: string, isLess: boolean): boolean {
	const isPlain = text === 'of' || (!isLess && isFiller(text));
	return isPlain || determiners.has(text) || strengthOf(text) !== undefined;
}

/** Rows whose own parameters read `less`, and those that a size or a share is set with. */
function takesDirection({ size, takes }: Verb): boolean {
	return size !== undefined || Object.values(takes).some(({ directed }) => directed);
}

/** The word of a clause that still holds for bare words behind `and`: `remove` of `remove noise and grain`. */
export function carriedWord(clause: Clause): string | undefined {
	const all = [...clause.before, ...clause.called, ...clause.words];
	return wordOf(all.find((token) => lessens(token)));
}

const determiners = new Set(['the', 'any', 'all', 'its', 'his', 'her', 'their', 'this']);

/** Names of what is in a picture, and of complaints about it. What commands (`sharpen`) is none. */
const things = new Set(
	`noise noisy grain grainy blur blurry blurriness vignette vignetting shadow shadows border borders frame watermark text caption title
	glow tint glitch glare reflection logo stamp dots dark bright soft sharp warm cool cold saturated colorful colourful contrasty vivid faded`.split(
		/\s+/,
	),
);

/** Whether a clause is nothing but such a name in a list, so that the word before still holds for it; `between` is what joins it to the clause before. */
export function isBare(clause: Clause, previous: Clause, between: string): boolean {
	if (!/^\s*(?:,?\s*(?:and|or|nor|&|\/|\s)+|,)\s*$/i.test(between)) return false;
	const name = wordOf(clause.called[0]) ?? '';
	const isBehind = previous.verbs.some((one) => one.anywhere || takesDirection(one)) && effects.has(name);
	const named = (between.trim() === ',' ? flaws : things).has(name) && !isBehind;
	const rest = clause.words.filter((token) => wordOf(token) !== 'and');
	const isPlain = rest.every(
		(token) => determiners.has(wordOf(token) ?? '') || directionOf(wordOf(token) ?? '') === -1,
	);
	if (!isPlain) return false;
	const isDetermined = rest.some((token) => determiners.has(wordOf(token) ?? ''));
	return clause.called.length === 1 && (isDetermined || named);
}

/** What nobody wishes for behind `remove the background,`. */
const flaws = new Set('noise noisy grain grainy watermark text glare reflection blurriness'.split(' '));

/** Behind `remove the background and` and `reduce the contrast and` they are rather wished for. */
const effects = new Set('blur border frame vignette glow tint glitch'.split(' '));
