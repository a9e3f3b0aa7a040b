import { setImmediate as turn } from 'node:timers/promises';
import { invalidResponse } from './failure.ts';

const quote = 0x22;
const backslash = 0x5c;
/** Longer strings, in bytes, are not parsed. */
const longBytes = 16_384;
/** Maximum bytes besides long strings. A long list of small values would need too much memory. */
const restBytes = 4_194_304;
/** Characters of base64 that are decoded per tick of the event loop, a multiple of 4. */
const sliceBytes = 4_194_304;

/** Parses a response or an event. `where` is for the log. Throws `E_MODEL_FAILED` for invalid JSON. */
export function longJson(bytes: Buffer, where: string): LongJson {
	try {
		return new LongJson(bytes);
	} catch (error) {
		throw invalidResponse(where, 'sent no JSON', error);
	}
}

/** JSON whose long strings are not parsed: a string of fifty megabytes would block the event loop. */
export class LongJson {
	/** The parsed value. In place of a long string it has an object that only `text` and `bytes` can read. */
	readonly value: unknown;
	readonly #source: Buffer;
	readonly #strings: readonly (readonly [start: number, end: number])[];

	/** Throws a `SyntaxError` for invalid JSON, and for more than 4 MiB besides long strings. */
	constructor(source: Buffer) {
		const strings: [number, number][] = [];
		const kept: string[] = [];
		let from = 0;
		let long = 0;
		for (let start = source.indexOf(quote); start >= 0; ) {
			const end = endOfString(source, start + 1);
			if (end - start > longBytes) {
				kept.push(source.toString('utf8', from, start), `{"${mark}":${strings.length}}`);
				strings.push([start + 1, end]);
				long += end - start;
				from = end + 1;
			}
			start = source.indexOf(quote, end + 1);
		}
		if (source.length - long > restBytes) throw new SyntaxError('There are too many values.');
		this.value = JSON.parse(kept.join('') + source.toString('utf8', from));
		this.#source = source;
		this.#strings = strings;
	}

	/** The text of a string; undefined for other values. */
	text(value: unknown): string | undefined {
		if (typeof value === 'string') return value;
		const place = this.#place(value);
		if (!place) return undefined;
		return JSON.parse(this.#source.toString('utf8', place[0] - 1, place[1] + 1)) as string;
	}

	/** Decodes base64, alone or in a data URL; undefined for a value that is no string. */
	async bytes(value: unknown): Promise<Buffer | undefined> {
		const place = this.#place(value);
		if (!place) return typeof value === 'string' ? decoded(value) : undefined;
		const [start, end] = place;
		// A string with escapes has to be parsed first.
		if (this.#source.subarray(start, end).includes(backslash)) return decoded(this.text(value) ?? '');
		const comma = this.#source.subarray(start, start + 100).indexOf(0x2c);
		const parts: Buffer[] = [];
		for (let at = start + comma + 1; at < end; at += sliceBytes) {
			if (parts.length > 0) await turn();
			const slice = this.#source.toString('latin1', at, Math.min(end, at + sliceBytes));
			parts.push(Buffer.from(slice, 'base64'));
		}
		return Buffer.concat(parts);
	}

	#place(value: unknown): readonly [number, number] | undefined {
		if (typeof value !== 'object' || value === null) return undefined;
		const place = (value as Record<string, unknown>)[mark];
		return typeof place === 'number' ? this.#strings[place] : undefined;
	}
}

const mark = '$long';

/** The end of the string that begins at `from`: the next quote that is not escaped. */
function endOfString(source: Buffer, from: number): number {
	for (let end = source.indexOf(quote, from); end >= 0; end = source.indexOf(quote, end + 1)) {
		let escapes = 0;
		while (source[end - escapes - 1] === backslash) escapes += 1;
		if (escapes % 2 === 0) return end;
	}
	throw new SyntaxError('A string has no end.');
}

function decoded(text: string): Buffer {
	return Buffer.from(text.slice(text.slice(0, 100).indexOf(',') + 1), 'base64');
}
