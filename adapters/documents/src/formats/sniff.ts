import { isUtf8 } from 'node:buffer';
import { isCompoundFile } from '../ole/compound-file.ts';
import { decodeAs, decodeText } from './charset.ts';
import { archiveType, compoundFileType } from './sniff/containers.ts';
import { pictureType } from './sniff/pictures.ts';
import { textType } from './sniff/texts.ts';

/**
 * The media type of a document, by its content only: names and labels lie. Undefined for what is no document and no text (sound, video,
 * programs, noise). Throws what can be known already: `E_DOCUMENT_ENCRYPTED`, `E_DOCUMENT_UNREADABLE` for containers that are damaged,
 * `E_DOCUMENT_UNSUPPORTED` where another format is to be saved.
 */
export async function sniff(bytes: Uint8Array): Promise<string | undefined> {
	const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headBytes));
	if (isPdf(head)) return 'application/pdf';
	if (zipMarks.some((mark) => head.subarray(0, 4).equals(mark))) return await archiveType(bytes);
	if (isCompoundFile(bytes)) return compoundFileType(bytes);
	if (/^(?:\xef\xbb\xbf)?\s{0,64}\{\\rtf/.test(head.toString('latin1', 0, 100))) {
		return 'application/rtf';
	}
	return pictureType(bytes) ?? workbookType(head) ?? typeOfText(bytes);
}

const headBytes = 65_536;
/** The first file of an archive, or the end of an empty one. */
const zipMarks = [Buffer.from('PK\x03\x04'), Buffer.from('PK\x05\x06')];

/**
 * Other bytes may stand before the header (a web server's, a mail gateway's). A text that only mentions it has no object behind it; a
 * program that writes a PDF does not begin a line with it.
 */
function isPdf(head: Buffer): boolean {
	const text = head.toString('latin1');
	if (text.startsWith('%PDF-')) return true;
	const at = text.search(/%PDF-\d\.\d\s/);
	if (at === -1 || !/\d{1,10} \d{1,5} obj\b/.test(text.slice(at, at + 2_000))) return false;
	return /[\r\n]/.test(text[at - 1] ?? '') || strangeCharacters.test(text);
}

/** Workbooks before Excel 5 are a bare stream of records; the first tells how long it is. */
function workbookType(head: Buffer): string | undefined {
	const [a, b = 255, size = 0, zero] = head;
	const isStart = a === 9 && [0, 2, 4, 8].includes(b) && [4, 6, 8, 16].includes(size) && zero === 0;
	return isStart ? 'application/vnd.ms-excel' : undefined;
}

function typeOfText(bytes: Uint8Array): string | undefined {
	const sample = samplesOf(bytes);
	const { text, charset } = decodeText(sample);
	if (!isText(text, charset.startsWith('utf') || isUtf8(sample))) return undefined;
	if (sample.length === bytes.length) return textType(text, text);
	const part = (from: number, to: number) => decodeAs(bytes.subarray(from, to), charset) ?? '';
	return textType(part(0, headBytes), part((bytes.length - headBytes) & ~1, bytes.length));
}

/** Beginning, middle and end: some binary files begin with a text. Cut at even places, for the sake of UTF-16. */
function samplesOf(bytes: Uint8Array): Uint8Array {
	if (bytes.length <= 3 * headBytes) return bytes;
	const middle = (bytes.length >> 2) << 1;
	return Buffer.concat([
		bytes.subarray(0, headBytes),
		bytes.subarray(middle, middle + headBytes),
		bytes.subarray((bytes.length - headBytes) & ~1),
	]);
}

/** Text holds next to no control characters, and when its charset is a guess, mostly letters, digits and blanks. */
function isText(text: string, isUnicode: boolean): boolean {
	const strange = text.match(new RegExp(strangeCharacters, 'g'))?.length ?? 0;
	if (isUnicode) return strange * 50 <= text.length;
	const words = text.match(/[\p{L}\p{M}\p{N}\s]/gu)?.length ?? 0;
	return strange * 500 <= text.length && words * 10 >= text.length * 6;
}

/** Not among them: tab, line breaks, backspace of old printers, escape of terminals, the end mark of DOS. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const strangeCharacters = /[\x00-\x07\x0b\x0e-\x19\x1c-\x1f\x7f\ufffd]/;
