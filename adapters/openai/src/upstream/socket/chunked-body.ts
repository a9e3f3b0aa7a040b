import { BadAnswer } from './answer-head.ts';

/** Most that may stand behind the length of a chunk, and all that may stand behind the last one, in bytes. */
const mostExtensions = 4_096;
const mostTrailers = 16_384;

const cr = 0x0d;
const lf = 0x0a;
const semicolon = 0x3b;

/** What comes next. */
type Expected =
	| 'size'
	| 'extension'
	| 'sizeEnd'
	| 'data'
	| 'dataCr'
	| 'dataLf'
	| 'trailer'
	| 'trailerLine'
	| 'trailerLf'
	| 'lastLf'
	| 'end';

/** Takes a body out of its chunks (RFC 9112, §7.1), in the memory that it has come in. */
export class ChunkedBody {
	#expected: Expected = 'size';
	/** Of the chunk, and how much of it is to come. */
	#size = 0;
	#digits = 0;
	/** Of the extensions of a chunk, and of all trailers. */
	#extensions = 0;
	#trailers = 0;

	/** Whether the body is complete. */
	get isOver(): boolean {
		return this.#expected === 'end';
	}

	/**
	 * Moves the data of the chunks in `bytes`, from `at` on, together. Returns what there is of it, and where the first byte stands that does not belong to the body any more. Throws {@link BadAnswer}.
	 */
	take(bytes: Buffer, at: number): { readonly data: Buffer; readonly rest: number } {
		let from = at;
		let to = at;
		let next = at;
		while (next < bytes.length && this.#expected !== 'end') {
			if (this.#expected !== 'data') {
				this.#read(bytes[next++] as number);
				continue;
			}
			const end = Math.min(bytes.length, next + this.#size);
			if (from === to) from = to = next;
			else if (to !== next) bytes.copyWithin(to, next, end);
			to += end - next;
			this.#size -= end - next;
			if (this.#size === 0) this.#expected = 'dataCr';
			next = end;
		}
		return { data: bytes.subarray(from, to), rest: next };
	}

	#read(byte: number): void {
		switch (this.#expected) {
			case 'size':
				this.#readSize(byte);
				return;
			case 'extension':
				if (++this.#extensions > mostExtensions || byte === lf) throw unsound();
				if (byte === cr) this.#expected = 'sizeEnd';
				return;
			case 'sizeEnd':
				if (byte !== lf) throw unsound();
				this.#extensions = 0;
				this.#expected = this.#size > 0 ? 'data' : 'trailer';
				return;
			case 'dataCr':
				if (byte !== cr) throw unsound();
				this.#expected = 'dataLf';
				return;
			case 'dataLf':
				if (byte !== lf) throw unsound();
				this.#expected = 'size';
				this.#digits = 0;
				return;
			default:
				this.#readTrailer(byte);
		}
	}

	#readSize(byte: number): void {
		const digit = digitOf(byte);
		if (digit >= 0) {
			this.#size = this.#size * 16 + digit;
			// More could be read as another size.
			if (++this.#digits > 12) throw unsound();
			return;
		}
		if (this.#digits === 0) throw unsound();
		if (byte === cr) this.#expected = 'sizeEnd';
		else if (byte === semicolon) this.#expected = 'extension';
		else throw unsound();
	}

	/** Trailers are read over: nothing in them is needed. */
	#readTrailer(byte: number): void {
		if (++this.#trailers > mostTrailers) throw unsound();
		const isCr = byte === cr;
		switch (this.#expected) {
			case 'trailer':
				this.#expected = isCr ? 'lastLf' : 'trailerLine';
				break;
			case 'trailerLine':
				if (isCr) this.#expected = 'trailerLf';
				break;
			default:
				if (byte !== lf) throw unsound();
				this.#expected = this.#expected === 'lastLf' ? 'end' : 'trailer';
				return;
		}
		// A line that ends otherwise has its end elsewhere for others.
		if (byte === lf) throw unsound();
	}
}

function digitOf(byte: number): number {
	if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
	const letter = byte | 0x20;
	return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function unsound(): BadAnswer {
	return new BadAnswer('The chunks of the answer are not sound.');
}
