import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, createGzip } from 'node:zlib';
import type { DocumentPage, DocumentText } from '@plinth/toolkit';

/** What else than its characters a text and each of its pages take, about, in bytes. */
const restBytes = 200;

/** Characters that become bytes in one turn of the event loop: some milliseconds. */
const sliceLength = 524_288;
/** Of what is compressed, in bytes: Node's own, 16 KiB, would take several times as long. */
const chunkSize = 1_048_576;

/** A text whose characters are compressed. */
export interface PackedText {
	/** Everything but the characters. */
	readonly rest: DocumentText;
	/** Those of all pages, or of the whole text, gzip'd UTF-8. */
	readonly packed: Buffer;
	/** How many bytes of it each page has. */
	readonly lengths: readonly number[];
}

/** About how much memory a text takes, in bytes: two per character, although some take one. */
export function bytesOf(text: DocumentText): number {
	const texts = textsOf(text);
	return texts.reduce((sum, { length }) => sum + 2 * length + restBytes, bytesAround(text));
}

/** The same for a packed one. */
export function packedBytesOf({ rest, packed, lengths }: PackedText): number {
	return packed.byteLength + lengths.length * restBytes + bytesAround(rest);
}

/** A document may say much of itself although it has no text. */
function bytesAround({ metadata }: DocumentText): number {
	const said: readonly string[] = Object.values(metadata);
	return said.reduce((sum, { length }) => sum + 2 * length, restBytes);
}

/** Compresses a text in a thread of Node's, slice by slice. */
export async function packText(text: DocumentText): Promise<PackedText> {
	const lengths: number[] = [];
	const packed: Buffer[] = [];
	await pipeline(
		slicesOf(textsOf(text), lengths),
		createGzip({ level: 1, chunkSize }),
		async (compressed: AsyncIterable<Buffer>) => {
			for await (const chunk of compressed) packed.push(chunk);
		},
	);
	return { rest: withTexts(text, () => ''), packed: Buffer.concat(packed), lengths };
}

/** The texts in UTF-8, one behind the other, and in `lengths` how many bytes each has. */
function* slicesOf(texts: readonly string[], lengths: number[]): Generator<Buffer> {
	let parts: Buffer[] = [];
	let encoded = 0;
	for (const whole of texts) {
		let length = 0;
		for (let at = 0; at < whole.length; ) {
			const end = endOf(whole, at + sliceLength);
			const part = Buffer.from(whole.slice(at, end));
			parts.push(part);
			length += part.byteLength;
			encoded += end - at;
			at = end;
			if (encoded < sliceLength) continue;
			yield Buffer.concat(parts);
			parts = [];
			encoded = 0;
		}
		lengths.push(length);
	}
	yield Buffer.concat(parts);
}

/** Never through the middle of a character. */
function endOf(text: string, end: number): number {
	const last = text.charCodeAt(end - 1);
	return last >= 0xd800 && last < 0xdc00 ? end + 1 : end;
}

/** Makes a packed text what it was, slice by slice too. */
export async function unpackText({ rest, packed, lengths }: PackedText): Promise<DocumentText> {
	const texts = lengths.map(() => '');
	await pipeline(
		[packed],
		createGunzip({ chunkSize }),
		async (bytes: AsyncIterable<Buffer>) => await shareOut(bytes, lengths, texts),
	);
	return withTexts(rest, (index) => texts[index] ?? '');
}

/** Gives each text the bytes that are its own. */
async function shareOut(bytes: AsyncIterable<Buffer>, lengths: readonly number[], texts: string[]): Promise<void> {
	const decoder = new StringDecoder();
	let index = 0;
	let left = lengths[0] ?? 0;
	for await (const chunk of bytes) {
		for (let at = 0; at < chunk.length; ) {
			while (left === 0) left = lengths[++index] ?? Infinity;
			const end = Math.min(at + left, chunk.length);
			texts[index] = (texts[index] ?? '') + decoder.write(chunk.subarray(at, end));
			left -= end - at;
			at = end;
		}
	}
}

function textsOf({ pages, text }: DocumentText): readonly string[] {
	return pages ? pages.map((page) => page.text) : [text ?? ''];
}

function withTexts(text: DocumentText, textAt: (index: number) => string): DocumentText {
	if (text.pages) {
		const pages = text.pages.map((page, index): DocumentPage => ({ ...page, text: textAt(index) }));
		return { ...text, pages };
	}
	return { ...text, text: textAt(0) };
}
