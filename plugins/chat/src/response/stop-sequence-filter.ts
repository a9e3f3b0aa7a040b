/**
 * Cuts a streamed text before the stop sequence that completes first, or the longer one of two that end
 * together. A stop sequence may span pieces; the splitting into pieces makes no difference.
 */
export class StopSequenceFilter {
	readonly #stops: readonly string[];
	/** The end of the text so far that may start a stop sequence. */
	#held = '';
	#isCut = false;

	constructor(stops: readonly string[]) {
		this.#stops = stops.filter((stop) => stop !== '');
	}

	/** Whether a stop sequence was found; the filter then returns no more text. */
	get isCut(): boolean {
		return this.#isCut;
	}

	/** Returns the text that cannot be part of a stop sequence and was not returned before. */
	push(piece: string): string {
		if (this.#isCut) return '';
		if (this.#stops.length === 0) return piece;
		const text = this.#held + piece;
		const [first] = this.#stops.flatMap((stop) => matchesOf(stop, text)).sort(byEnd);
		if (first) {
			this.#isCut = true;
			this.#held = '';
			return text.slice(0, first.start);
		}
		const safeLength = text.length - Math.max(...this.#stops.map((stop) => overlap(text, stop)));
		this.#held = text.slice(safeLength);
		return text.slice(0, safeLength);
	}

	/** Returns the held-back text at the end. */
	end(): string {
		const rest = this.#held;
		this.#held = '';
		return rest;
	}
}

interface Match {
	readonly start: number;
	readonly end: number;
}

function matchesOf(stop: string, text: string): readonly Match[] {
	const start = text.indexOf(stop);
	return start < 0 ? [] : [{ start, end: start + stop.length }];
}

function byEnd(a: Match, b: Match): number {
	return a.end - b.end || a.start - b.start;
}

/** Length of the longest suffix of the text that starts the stop sequence. */
function overlap(text: string, stop: string): number {
	const first = stop.charAt(0);
	let start = text.indexOf(first, Math.max(0, text.length - stop.length + 1));
	while (start >= 0 && !stop.startsWith(text.slice(start))) start = text.indexOf(first, start + 1);
	return start < 0 ? 0 : text.length - start;
}
