import type { Rgb } from '../../../scene/color.ts';
import { directionOf, strengthOf } from './fillers.ts';
import { stem } from './stem.ts';
import type { NumberToken, PairToken, Token, WordToken } from './tokens.ts';

const articles = new Set(['the', 'a', 'an', 'that', 'saying', 'says', 'reading', 'text', 'words']);

/** The words of one clause that are not its verb. Parameters take theirs; what nobody takes is reported as not understood. */
export class Reader {
	/** The prompt, for passages that are taken literally. */
	readonly prompt: string;
	/** What had to be changed to be possible, one sentence each. */
	readonly notes: string[] = [];
	/** Whether a change is named, not what comes of it: `by 20%`. */
	readonly isRelative: boolean;
	readonly #from: number;
	readonly #called: readonly Token[];
	#left: readonly Token[];

	/** `from` is where the verb ends in the prompt, `called` are its words. */
	constructor(prompt: string, tokens: readonly Token[], from = 0, called: readonly Token[] = []) {
		this.prompt = prompt;
		this.#from = from;
		this.#called = called;
		this.#left = tokens;
		this.isRelative = this.has('by');
	}

	/** Whether the verb was called by one of these words, in any inflection. */
	isCalled(...texts: readonly string[]): boolean {
		const stems = texts.map(stem);
		return this.#called.some((token) => isWord(token) && stems.includes(token.stem));
	}

	/** What nobody took. */
	get left(): readonly Token[] {
		return this.#left;
	}

	/** Takes the first token that fits. */
	take<T extends Token>(fits: (token: Token, before: Token | undefined) => token is T): T | undefined;
	take(fits: (token: Token, before: Token | undefined) => boolean): Token | undefined;
	take(fits: (token: Token, before: Token | undefined) => boolean): Token | undefined {
		const at = this.#left.findIndex((token, index) => fits(token, this.#left[index - 1]));
		const found = this.#left[at];
		if (found) this.#left = this.#left.toSpliced(at, 1);
		return found;
	}

	/** Takes a word. */
	word(...texts: readonly string[]): WordToken | undefined {
		return this.take((token): token is WordToken => isWord(token) && texts.includes(token.text));
	}

	/** Whether a word is there; it stays. */
	has(...texts: readonly string[]): boolean {
		return this.#left.some((token) => isWord(token) && texts.includes(token.text));
	}

	/** Whether a token of a kind is there; it stays. */
	holds(kind: Token['kind']): boolean {
		return this.#left.some((token) => token.kind === kind);
	}

	/** Takes two words that stand together. */
	pairOf(first: readonly string[], second: readonly string[]): Token | undefined {
		const fits = (token: Token | undefined, texts: readonly string[]): boolean =>
			token?.kind === 'word' && texts.includes(token.text);
		const at = this.#left.findIndex((token, index) => fits(token, first) && fits(this.#left[index + 1], second));
		const found = this.#left[at];
		if (found) this.#left = this.#left.toSpliced(at, 2);
		return found;
	}

	/** Takes tokens that were found among those left. */
	drop(tokens: readonly Token[]): void {
		this.#left = this.#left.filter((token) => !tokens.includes(token));
	}

	/** Takes a number with one of these units. */
	number(...units: readonly NumberToken['unit'][]): NumberToken | undefined {
		return this.take((token): token is NumberToken => token.kind === 'number' && units.includes(token.unit));
	}

	/** Takes a number and the word behind it: `50% opacity`. */
	measured(unit: NumberToken['unit'], ...texts: readonly string[]): number | undefined {
		const at = this.#left.findIndex((token, index) => {
			const before = this.#left[index - 1];
			return isWord(token) && texts.includes(token.text) && before?.kind === 'number' && before.unit === unit;
		});
		const number = this.#left[at - 1];
		if (number?.kind !== 'number') return undefined;
		this.#left = this.#left.toSpliced(at - 1, 2);
		return number.value;
	}

	/** Whether `to` stands in front of a number: `to 50%` sets what `by 50%` changes. */
	isAbsolute(): boolean {
		const at = this.#left.findIndex(({ kind }) => kind === 'number');
		const before = this.#left[at - 1];
		return before?.kind === 'word' && before.text === 'to';
	}

	/** Takes `800x600` or `16:9`. */
	pair(kind: PairToken['kind']): PairToken | undefined {
		return this.take((token): token is PairToken => token.kind === kind);
	}

	/** Takes a colour, by name or by code. */
	color(): Rgb | undefined {
		const token = this.take((token) => token.kind === 'color' || (isWord(token) && !!token.color));
		if (token?.kind === 'color') return token.color;
		return token?.kind === 'word' ? token.color : undefined;
	}

	/** Takes a quotation. */
	quotation(): string | undefined {
		const token = this.take(({ kind }) => kind === 'text');
		return token?.kind === 'text' ? token.text : undefined;
	}

	/** Takes `image 2`; 0 is the picture that is edited. */
	image(): number | undefined {
		const token = this.take(({ kind }) => kind === 'image');
		return token?.kind === 'image' ? token.index : undefined;
	}

	/** Takes `slightly` and `very`: a factor of the usual amount. */
	strength(): number {
		let factor = 1;
		for (;;) {
			const token = this.take((token) => isWord(token) && strengthOf(token.text) !== undefined);
			if (token?.kind !== 'word') return factor;
			factor *= strengthOf(token.text) as number;
		}
	}

	/** Takes `more` and `less`. */
	direction(): 1 | -1 | undefined {
		const token = this.take((token) => isWord(token) && directionOf(token.text) !== undefined);
		return token?.kind === 'word' ? directionOf(token.text) : undefined;
	}

	/** Takes words behind the verb, as they were written, up to the first one that says where they go. */
	literal(stops: readonly string[]): string | undefined {
		const words: Token[] = [];
		for (const token of this.#left) {
			if (token.start < this.#from) continue;
			if (isWord(token) && (stops.includes(token.text) || (words.length === 0 && articles.has(token.text)))) {
				if (words.length > 0) break;
				continue;
			}
			words.push(token);
		}
		const [first, last] = [words[0], words.at(-1)];
		if (!first || !last) return undefined;
		this.#left = this.#left.filter((token) => !words.includes(token));
		return this.prompt.slice(first.start, last.end);
	}

	/** Keeps a number within bounds, and says so where that changes it. */
	bound(value: number, least: number, most: number): number {
		const bounded = Math.min(most, Math.max(least, value));
		if (bounded !== value) this.notes.push(`${shown(value)} became ${shown(bounded)}.`);
		return bounded;
	}
}

/** Tells words from other tokens. */
export function isWord(token: Token): token is WordToken {
	return token.kind === 'word';
}

function shown(value: number): string {
	if (!Number.isFinite(value)) return value > 0 ? 'A number beyond all bounds' : 'A number below all bounds';
	return String(Math.round(value * 100) / 100);
}
