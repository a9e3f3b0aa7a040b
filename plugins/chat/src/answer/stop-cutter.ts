/**
 * Cuts a text that comes in pieces before the stop sequence that is complete first, the longer one of two that end together. It may begin in
 * one piece and end in another; how the text is broken into pieces makes no difference.
 */
export class StopCutter {
	readonly #stops: readonly string[];
	/** The end of what has come, which may be the beginning of a stop sequence. */
	#held = '';
	#isCut = false;

	constructor(stops: readonly string[]) {
		this.#stops = stops.filter((stop) => stop !== '');
	}

	/** A stop sequence has come. Nothing goes through any more. */
	get isCut(): boolean {
		return this.#isCut;
	}

	/** Returns what is certain of the text so far and has not been returned before. */
	push(piece: string): string {
		if (this.#isCut) return '';
		if (this.#stops.length === 0) return piece;
		const text = this.#held + piece;
		const [first] = this.#stops.flatMap((stop) => placeOf(stop, text)).sort(byEnd);
		if (first) {
			this.#isCut = true;
			this.#held = '';
			return text.slice(0, first.at);
		}
		const certain = text.length - Math.max(...this.#stops.map((stop) => overlap(text, stop)));
		this.#held = text.slice(certain);
		return text.slice(0, certain);
	}

	/** Returns what was held back when no more is to come. */
	end(): string {
		const rest = this.#held;
		this.#held = '';
		return rest;
	}
}

interface Place {
	readonly at: number;
	readonly end: number;
}

function placeOf(stop: string, text: string): readonly Place[] {
	const at = text.indexOf(stop);
	return at < 0 ? [] : [{ at, end: at + stop.length }];
}

function byEnd(a: Place, b: Place): number {
	return a.end - b.end || a.at - b.at;
}

/** How many characters at the end of the text a stop sequence begins with. */
function overlap(text: string, stop: string): number {
	const first = stop.charAt(0);
	let at = text.indexOf(first, Math.max(0, text.length - stop.length + 1));
	while (at >= 0 && !stop.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
	return at < 0 ? 0 : text.length - at;
}
