import { isAscii, isUtf8 } from 'node:buffer';
import { analyse, type Match } from 'chardet';
import iconv from 'iconv-lite';

/** Bytes of a sample. Detection takes much more time per byte than decoding. */
const sampleBytes = 32_768;

/**
 * Decodes bytes of an unknown charset, and returns its name in lower case. Tries a byte order mark, the zero bytes of
 * UTF-16, UTF-8, then the most likely legacy charset, and at last windows-1252. Invalid bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array): { readonly text: string; readonly charset: string } {
	const charset = charsetOf(bytes);
	return { text: decodeAs(bytes, charset) ?? asBuffer(bytes).toString('latin1'), charset };
}

/** Decodes bytes by the label of their charset (`cp1251`) and drops a byte order mark. Undefined if it is unknown. */
export function decodeAs(bytes: Uint8Array, label: string): string | undefined {
	const charset = standardName(label);
	if (iconv.encodingExists(charset)) return iconv.decode(asBuffer(bytes), charset);
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		return undefined;
	}
}

/** The label of a Windows, DOS or Macintosh code page, for `decodeAs`. */
export function charsetOfPage(page: number): string {
	return pages[page] ?? `${page}`;
}

/** Code pages without a label by number. */
const pages: Readonly<Record<number, string>> = {
	1200: 'utf-16le',
	20127: 'windows-1252',
	50220: 'iso-2022-jp',
	51932: 'euc-jp',
	51949: 'euc-kr',
	54936: 'gb18030',
	65001: 'utf-8',
};

/** The same bytes, not copied. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
	return Buffer.from(buffer, byteOffset, byteLength);
}

/** Labels as browsers read them: text labelled Latin-1 is nearly always windows-1252, a superset. */
function standardName(label: string): string {
	try {
		const { encoding } = new TextDecoder(label);
		return supersets[encoding] ?? encoding;
	} catch {
		return label.trim().toLowerCase();
	}
}

const supersets: Readonly<Record<string, string>> = { gbk: 'gb18030', 'iso-8859-8': 'windows-1255' };

function charsetOf(bytes: Uint8Array): string {
	const head = asBuffer(bytes).toString('hex', 0, 4);
	const known = Object.entries(marks).find(([mark]) => head.startsWith(mark))?.[1] ?? wideCharset(bytes);
	if (known !== undefined) return known;
	const start = asBuffer(bytes).toString('latin1', 0, sampleBytes);
	if (isAscii(bytes)) return ['\x1b$B', '\x1b$@'].some((code) => start.includes(code)) ? 'iso-2022-jp' : 'utf-8';
	const sample = sampleOf(bytes);
	if (isUtf8(bytes) || isDamagedUtf8(sample)) return 'utf-8';
	const declared = declaration.exec(start)?.[1];
	if (declared && iconv.encodingExists(declared)) return standardName(declared);
	if (shiftJis.test(asBuffer(sample).toString('latin1'))) return 'shift_jis';
	return standardName(analyse(sample).find((match) => isPlausible(sample, match))?.name ?? 'windows-1252');
}

/** The charset in the declaration of XML. It is used only if the bytes are not Unicode. */
const declaration = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** Byte order marks in hexadecimal. A longer mark precedes its own prefix. */
const marks = { efbbbf: 'utf-8', fffe0000: 'utf-32le', fffe: 'utf-16le', feff: 'utf-16be', '0000feff': 'utf-32be' };

/**
 * In UTF-16, blanks, line ends, digits and Latin letters have a zero byte, mostly on the same side. The other byte
 * order is tried as well, because some Chinese characters have a zero byte on the other side.
 */
function wideCharset(bytes: Uint8Array): string | undefined {
	const sample = bytes.subarray(0, sampleBytes & ~1);
	const pairs = asBuffer(sample).toString('latin1').match(/../gs) ?? [];
	const [little, big] = [count(pairs, /[\s -~]\0/), count(pairs, /\0[\s -~]/)];
	// In UTF-16, pairs of letters would be Chinese. More likely, the zero bytes separate the entries of a list.
	if ((little + big) * 50 <= pairs.length || count(pairs, /[ -~]{2}/) * 2 > pairs.length) return undefined;
	const charsets = big > little ? ['utf-16be', 'utf-16le'] : ['utf-16le', 'utf-16be'];
	return charsets.find((charset) => count([...(decodeAs(sample, charset) ?? '')], noText) * 20 <= pairs.length);
}

/** Control characters, private use, unassigned code points, and halves of surrogate pairs. */
const noText = /[^\P{C}\s\p{Cf}]/u;

const count = (parts: readonly string[], kind: RegExp) => parts.filter((part) => kind.test(part)).length;

/** A sample from the first byte that is not ASCII: text far before it is irrelevant. */
function sampleOf(bytes: Uint8Array): Uint8Array {
	const first = bytes.findIndex((byte) => byte >= 0x80);
	const start = first < 256 ? 0 : first;
	return bytes.subarray(start, start + sampleBytes);
}

/** UTF-8 with a few invalid bytes, such as one in a long log. The end of the sample may cut a character. */
function isDamagedUtf8(sample: Uint8Array): boolean {
	const text = new TextDecoder().decode(sample, { stream: true });
	const nonAscii = text.match(/[\x80-\u{10ffff}]/gu) ?? [];
	return count(nonAscii, /\uFFFD/) * 11 < nonAscii.length;
}

/**
 * Pairs of bytes that are kana, marks and characters of the first level of Shift-JIS, none of them after a Latin
 * letter. Detection recognizes Shift-JIS only by its kana.
 */
const shiftJis = /^(?:(?:[\0-\x7f]*[\0-@[-`{-\x7f])?[\x81-\x84\x88-\x97][@-~\x80-\xfc]){2,}[\0-\x7f]*[\x81-\x9f]?$/;

/** Whether the bytes are meaningful in a detected charset, and not Western text whose charset was misdetected. */
function isPlausible(sample: Uint8Array, { name, confidence }: Match): boolean {
	const text = name.startsWith('UTF') ? undefined : decodeAs(sample, name);
	if (text === undefined || (text.split('\uFFFD').length - 1) * 50 > text.length) return false;
	// Text has no accents without letters. Such bytes are `²`, `½` or `¸` in another charset.
	if (/^(?:iso-8859|windows|koi8)/i.test(name)) return !/[ˇ˘˛˝˙]/.test(text);
	// Detection reports this confidence in an Asian charset for a few bytes that could be of any charset.
	return confidence > 10 || !letterBefore.test(asBuffer(sample).toString('latin1'));
}

/** A letter before a byte of another kind: `für`. */
const letterBefore = /[a-z][\x80-\xff]/i;
