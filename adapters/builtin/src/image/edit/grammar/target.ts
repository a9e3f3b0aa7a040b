import { isFiller } from './fillers.ts';
import type { Token } from './tokens.ts';
import { wordOf } from './tokens.ts';

const determiners = new Set(
	'the her his their its my our your this that these those all each every both any'.split(' '),
);

/** In front of words that say why, how or since when, not where. */
const reasons = new Set(
	'for like as by from with without than because since before after until while during per look looks style styled effect mood feel feeling vibe not no'.split(
		' ',
	),
);

/** With an article in front they still mean the whole picture, or an amount. */
const wholes = new Set(
	'same max maximum minimum limit full fullest most best rest scene shot mood lighting light atmosphere ambience vibe vibes feeling feel end result composition nan infinity'.split(
		' ',
	),
);

/** `dark moody look`: words before such a noun describe it. */
const looks = new Set('look style effect filter mode tone tones feel vibe mood version'.split(' '));

/** Commands whose object follows at once: `blur faces`. */
const commands = new Set(
	'blur brighten darken lighten sharpen pixelate censor invert saturate desaturate colorize colourize tint soften smooth enhance recolor recolour crop zoom'.split(
		' ',
	),
);

/**
 * The part of a picture that a clause aims at and nobody here can find: `the sky` of `make the sky darker`, `faces` of `blur faces`.
 * `left` are the words that no parameter took. Undefined when they restrict nothing.
 */
export function targetOf(
	all: readonly Token[],
	left: readonly Token[],
	verbs: readonly Token[],
): readonly Token[] | undefined {
	const lastVerb = verbs.at(-1);
	const free = new Set(left);
	for (const [at, token] of all.entries()) {
		if (!free.has(token) || !isName(token)) continue;
		const before = wordOf(all[at - 1]);
		const noun = nounFrom(all, free, at);
		const after = all[at + noun.length];
		if (before !== undefined && determiners.has(before)) {
			if (isReason(all, at) || describesLook(all, at + noun.length, verbs)) continue;
			return noun;
		}
		const isPossessive = determiners.has(wordOf(token) ?? '') && noun.length > 1;
		if (isPossessive && !isReason(all, at)) return noun;
		const follows = lastVerb !== undefined && all[at - 1] === lastVerb;
		if (follows && verbs.length === 1 && commands.has(wordOf(lastVerb) ?? '')) return noun;
		// `make sky darker`, but not `make it super bright`.
		const isFree = before === undefined || isFiller(before);
		if (isFree && verbs.includes(after as Token) && isPart(token)) return noun;
	}
	return undefined;
}

/** No longer names, and no longer looks back, so that long prompts take linear time. */
const MOST_WORDS = 8;

/** Words that are parts of pictures more often than anything else. */
const parts = new Set(
	'sky clouds cloud grass water sea sun moon face faces hair eyes eye skin lips teeth car cars tree trees people person man woman dog cat house building buildings shirt dress mountain mountains road flower flowers leaves'.split(
		' ',
	),
);

function isPart(token: Token): boolean {
	return parts.has(wordOf(token) ?? '');
}

function isName(token: Token): boolean {
	const text = wordOf(token);
	return text !== undefined && /^\p{L}{2}/u.test(text) && !wholes.has(text) && !/ly$/.test(text);
}

function nounFrom(all: readonly Token[], left: ReadonlySet<Token>, from: number): readonly Token[] {
	let end = from;
	while (end < all.length && end < from + MOST_WORDS && left.has(all[end] as Token)) end++;
	return all.slice(from, end);
}

/** Whether a word such as `for` or `like` stands in front, with nothing but small words between. */
function isReason(all: readonly Token[], at: number): boolean {
	for (let i = at - 1; i >= Math.max(0, at - MOST_WORDS); i--) {
		const text = wordOf(all[i]);
		if (text === undefined) return false;
		if (reasons.has(text)) return true;
		if (!isFiller(text) && !determiners.has(text)) return false;
	}
	return false;
}

/** `the moody noir look`: the verb and a noun of looks follow. */
function describesLook(all: readonly Token[], at: number, verbs: readonly Token[]): boolean {
	const next = all[at];
	if (!next) return false;
	const noun = verbs.includes(next) ? all[at + 1] : next;
	return looks.has(wordOf(noun) ?? '');
}
