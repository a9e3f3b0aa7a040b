import { isUtf8 } from 'node:buffer';
import { asBuffer, decodeAs, decodeText } from '../charset.ts';
import { archiveType, compoundFileType } from './containers.ts';
import { pictureType } from './pictures.ts';
import { textType } from './texts.ts';

/**
 * The media type of a document, by its content only. Undefined for other files without text. Throws
 * `E_DOCUMENT_ENCRYPTED`, `E_DOCUMENT_UNREADABLE` for a damaged container, `E_DOCUMENT_UNSUPPORTED` with advice.
 */
export async function sniff(bytes: Uint8Array): Promise<string | undefined> {
	const head = asBuffer(bytes).toString('latin1', 0, headBytes);
	if (isPdf(head)) return 'application/pdf';
	const mark = asBuffer(bytes).toString('hex', 0, 8);
	// The first file of an archive, or the end of an empty one.
	if (/^504b(?:0304|0506)/.test(mark)) return await archiveType(bytes);
	if (mark === 'd0cf11e0a1b11ae1') return await compoundFileType(bytes);
	if (/^(?:\xef\xbb\xbf)?\s{0,64}\{\\rtf/.test(head)) return 'application/rtf';
	// Workbooks before Excel 5 are a stream of records. The first one contains its length.
	if (/^09(?:00|02|04|08)(?:04|06|08|10)00/.test(mark)) return 'application/vnd.ms-excel';
	return pictureType(bytes) ?? typeOfText(bytes);
}

const headBytes = 65_536;

/**
 * Other bytes may precede the header. A text that only mentions the header has no object after it; the source of a
 * program that writes PDF has it inside a line.
 */
function isPdf(head: string): boolean {
	if (head.startsWith('%PDF-')) return true;
	const at = head.search(/%PDF-\d\.\d\s/);
	if (at === -1 || !/\d{1,10} \d{1,5} obj\b/.test(head.slice(at, at + 2_000))) return false;
	return /[\r\n]/.test(head[at - 1] ?? '') || head.search(controlCharacters) !== -1;
}

function typeOfText(bytes: Uint8Array): string | undefined {
	const sample = sampleOf(bytes);
	const { text, charset } = decodeText(sample);
	if (!isText(text, charset.startsWith('utf') || isUtf8(sample))) return undefined;
	if (sample.length === bytes.length) return textType(text, text);
	const part = (from: number, to: number) => decodeAs(bytes.subarray(from, to), charset) ?? '';
	return textType(part(0, headBytes), part((bytes.length - headBytes) & ~1, bytes.length));
}

/** The start, middle and end, because some binary files start with text. The offsets are even, for UTF-16. */
function sampleOf(bytes: Uint8Array): Uint8Array {
	if (bytes.length <= 3 * headBytes) return bytes;
	const starts = [0, (bytes.length >> 2) << 1, (bytes.length - headBytes) & ~1];
	return Buffer.concat(starts.map((start) => bytes.subarray(start, start + headBytes)));
}

/** Text has almost no control characters. If its charset is a guess, it has mostly letters, digits and blanks. */
function isText(text: string, isUnicode: boolean): boolean {
	const count = (kind: RegExp) => text.match(kind)?.length ?? 0;
	if (isUnicode) return count(controlCharacters) * 50 <= text.length;
	return count(controlCharacters) * 500 <= text.length && count(/[\p{L}\p{M}\p{N}\s]/gu) * 10 >= text.length * 6;
}

/** Except tab, line breaks, backspace (of old printers), escape (of terminals) and the end mark of DOS. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const controlCharacters = /[\x00-\x07\x0b\x0e-\x19\x1c-\x1f\x7f\ufffd]/g;
