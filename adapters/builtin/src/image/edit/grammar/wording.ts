import { isFiller } from './fillers.ts';
import { stem } from './stem.ts';
import { type Token, type WordToken, wordOf } from './tokens.ts';

/**
 * Says in plain words of more and less what people say about a picture that they do not like: `too dark` becomes `less dark`,
 * `not bright enough` `more bright`. What is not such a complaint stays as it is.
 */
export function plainWording(tokens: readonly Token[]): readonly Token[] {
	const plain: Token[] = [];
	for (let at = 0; at < tokens.length; at++) {
		const token = tokens[at] as Token;
		const found = caveatAt(tokens, at) ?? excessAt(tokens, at) ?? shortageAt(tokens, at);
		if (!found) {
			plain.push(token);
			continue;
		}
		plain.push(...found.tokens);
		at += found.taken - 1;
	}
	return plain;
}

interface Reworded {
	readonly tokens: readonly Token[];
	/** How many tokens they stand for. */
	readonly taken: number;
}

const amounts = new Set('much many strong strongly high intense heavy heavily hard'.split(' '));
const joiners = new Set(['and', 'or', 'but', 'plus', 'while']);
const shortages = new Set(['little', 'few', 'low', 'weak']);

/** `not too much`, `not very strong`: a little. */
function caveatAt(tokens: readonly Token[], at: number): Reworded | undefined {
	const [not, too, much] = tokens.slice(at, at + 3);
	const isCaveat = wordOf(not) === 'not' && /^(?:too|so|very)$/.test(wordOf(too) ?? '');
	if (!isCaveat || !amounts.has(wordOf(much) ?? '')) return undefined;
	return { tokens: [reworded(not, 'slightly', much)], taken: 3 };
}

/** `too dark`, `too much contrast`, `too low`; a `too` at the end only means `also`. */
function excessAt(tokens: readonly Token[], at: number): Reworded | undefined {
	const [token, next] = [tokens[at], tokens[at + 1]];
	if (wordOf(token) !== 'too' || next?.kind !== 'word') return undefined;
	if (shortages.has(next.text)) return { tokens: [reworded(token, 'more', next)], taken: 2 };
	const isAmount = amounts.has(next.text);
	// `blur it too and …` only means `also`.
	if (!isAmount && (isFiller(next.text) || joiners.has(next.text))) return undefined;
	const last = isAmount ? next : token;
	return { tokens: [reworded(token, 'less', last)], taken: isAmount ? 2 : 1 };
}

/** `not bright enough`, `not enough contrast`. */
function shortageAt(tokens: readonly Token[], at: number): Reworded | undefined {
	const text = wordOf(tokens[at]);
	if (text === undefined || !/^not$|n't$/.test(text)) return undefined;
	const behind = tokens.slice(at + 1, at + 4);
	const enough = behind.findIndex((token) => wordOf(token) === 'enough');
	if (enough < 0) return undefined;
	const between = behind.slice(0, enough);
	const end = behind[enough]?.end ?? 0;
	const widened = between.map((token, i) => (i === between.length - 1 ? { ...token, end } : token));
	return { tokens: [reworded(tokens[at], 'more'), ...widened], taken: enough + 2 };
}

/** A word that stands for what is written from one token to another. */
function reworded(token: Token | undefined, text: string, last = token): WordToken {
	const { start } = token as Token;
	const { end } = last as Token;
	return { kind: 'word', text, stem: stem(text), start, end };
}
