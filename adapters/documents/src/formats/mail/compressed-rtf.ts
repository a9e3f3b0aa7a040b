import type { Budget } from '../budget.ts';

/** Unpacks the RTF of an Outlook message ([MS-OXRTFCP]). What is damaged ends early. */
export function unpackedRtf(packed: Buffer, budget: Budget): Buffer {
	if (packed.length < headBytes) return Buffer.alloc(0);
	if (packed.toString('latin1', 8, 12) === 'MELA') return packed.subarray(headBytes);
	const window = Buffer.alloc(windowBytes);
	window.write(dictionary, 'latin1');
	const out = new Output(window, dictionary.length);
	let at = headBytes;
	while (at < packed.length) {
		const flags = packed[at++] ?? 0;
		for (let bit = 0; bit < 8 && at < packed.length; bit++) {
			if ((flags & (1 << bit)) === 0) {
				out.add(packed[at++] ?? 0);
				continue;
			}
			if (at + 2 > packed.length) return out.finish(budget);
			const token = packed.readUInt16BE(at);
			at += 2;
			if (token >> 4 === out.place) return out.finish(budget);
			out.repeat(token >> 4, (token & 15) + 2);
		}
	}
	return out.finish(budget);
}

const headBytes = 16;
const windowBytes = 4_096;
/** What the window holds at the start. */
const dictionary =
	'{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';

/** Bytes that came out, the last of which can come again. */
class Output {
	readonly #window: Buffer;
	readonly #full: Buffer[] = [];
	#part = Buffer.alloc(65_536);
	#length = 0;
	place: number;

	constructor(window: Buffer, place: number) {
		this.#window = window;
		this.place = place;
	}

	add(byte: number): void {
		if (this.#length === this.#part.length) {
			this.#full.push(this.#part);
			this.#part = Buffer.alloc(this.#part.length);
			this.#length = 0;
		}
		this.#part[this.#length++] = byte;
		this.#window[this.place] = byte;
		this.place = (this.place + 1) % windowBytes;
	}

	repeat(from: number, count: number): void {
		for (let at = 0; at < count; at++) this.add(this.#window[(from + at) % windowBytes] ?? 0);
	}

	/** At most nine times what went in, so that counting once is enough. */
	finish(budget: Budget): Buffer {
		const bytes = Buffer.concat([...this.#full, this.#part.subarray(0, this.#length)]);
		budget.inflate(bytes.length);
		return bytes;
	}
}
