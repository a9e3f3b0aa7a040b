import { isAscii, isUtf8 } from 'node:buffer';
import { analyse, type Match } from 'chardet';
import iconv from 'iconv-lite';

/** Bytes of a sample: detection costs much more per byte than decoding. */
const sampleBytes = 32_768;

/** A text with the name of the charset that it was decoded from, in lower case. */
export interface DecodedText {
	readonly text: string;
	readonly charset: string;
}

/**
 * Decodes bytes of an unknown charset: byte order mark, UTF-8, UTF-16 by its zero bytes, then the most likely of the legacy charsets,
 * in the end windows-1252. Always gives a text; bytes that mean nothing become U+FFFD.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
	const charset = charsetOf(bytes);
	return { text: decodeAs(bytes, charset) ?? asBuffer(bytes).toString('latin1'), charset };
}

/** Decodes bytes whose charset is told by a label (`iso-8859-1`, `cp1251`); a byte order mark is left out. Undefined if nobody knows the label. */
export function decodeAs(bytes: Uint8Array, label: string): string | undefined {
	const charset = widened(label.trim().toLowerCase());
	if (charset === 'utf-8') {
		const text = asBuffer(bytes).toString('utf8');
		return text.startsWith('\uFEFF') ? text.slice(1) : text;
	}
	if (iconv.encodingExists(charset)) return iconv.decode(asBuffer(bytes), charset);
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		return undefined;
	}
}

/** The label of a Windows, DOS or Macintosh code page, for `decodeAs`. */
export function charsetOfPage(page: number): string {
	return pages[page] ?? `cp${page}`;
}

const pages: Readonly<Record<number, string>> = {
	936: 'gb18030',
	950: 'big5',
	1200: 'utf-16le',
	10000: 'macintosh',
	10006: 'macgreek',
	10007: 'maccyrillic',
	10029: 'maccenteuro',
	10081: 'macturkish',
	20866: 'koi8-r',
	20127: 'windows-1252',
	50220: 'iso-2022-jp',
	51932: 'euc-jp',
	51949: 'cp949',
	52936: 'gb18030',
	54936: 'gb18030',
	65001: 'utf-8',
};

function charsetOf(bytes: Uint8Array): string {
	const marked = byteOrderMark(bytes);
	if (marked !== undefined) return marked;
	const wide = zeroBytes(bytes);
	if (wide !== undefined) return wide;
	if (isAscii(bytes)) return hasJapaneseEscapes(bytes) ? 'iso-2022-jp' : 'utf-8';
	const whole = withoutCutCharacter(bytes);
	if (isUtf8(whole) && !isAscii(whole)) return 'utf-8';
	const declared = declaration.exec(asBuffer(bytes).toString('latin1', 0, 200))?.[1];
	if (declared && iconv.encodingExists(declared)) return widened(declared.toLowerCase());
	const sample = sampleOf(bytes);
	if (isDamagedUtf8(sample)) return 'utf-8';
	const likely = analyse(sample).find((match) => isPlausible(sample, match));
	return widened((likely?.name ?? 'windows-1252').toLowerCase());
}

/** XML names its charset in its first line; it is believed once the bytes are known not to be Unicode. */
const declaration = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]{1,40})["']/;

function byteOrderMark(bytes: Uint8Array): string | undefined {
	const [a, b, c, d] = bytes;
	if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
	if (a === 0xff && b === 0xfe) return c === 0 && d === 0 && bytes.length > 4 ? 'utf-32le' : 'utf-16le';
	if (a === 0xfe && b === 0xff) return 'utf-16be';
	return a === 0 && b === 0 && c === 0xfe && d === 0xff ? 'utf-32be' : undefined;
}

/** Blanks, digits and Latin letters have a zero byte in UTF-16, always on the same side. Other texts have none. */
function zeroBytes(bytes: Uint8Array): string | undefined {
	const sample = bytes.subarray(0, sampleBytes & ~1);
	let big = 0;
	let little = 0;
	let others = 0;
	let letters = 0;
	for (let at = 0; at + 1 < sample.length; at += 2) {
		const first = sample[at] ?? 0;
		const second = sample[at + 1] ?? 0;
		if (first === 0 && isPlain(second)) big++;
		else if (second === 0 && isPlain(first)) little++;
		else if (first === 0 || second === 0) others++;
		else if (isPlain(first) && isPlain(second)) letters++;
	}
	const [more, less] = big > little ? [big, little] : [little, big];
	if (more * 50 < sample.length / 2 || (less + others) * 10 > more) return undefined;
	// Pairs of letters would be Chinese: rather, the zeros part the entries of a list.
	if (letters * 4 > sample.length) return undefined;
	return big > little ? 'utf-16be' : 'utf-16le';
}

function isPlain(byte: number): boolean {
	return (byte >= 0x20 && byte < 0x7f) || (byte >= 9 && byte <= 13);
}

/** Up to three bytes less, when the end of the file cuts a character of UTF-8. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
	for (let back = 1; back <= Math.min(3, bytes.length); back++) {
		const byte = bytes[bytes.length - back] ?? 0;
		if (byte >= 0xc0) {
			const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
			return back < length ? bytes.subarray(0, bytes.length - back) : bytes;
		}
		if (byte < 0x80) break;
	}
	return bytes;
}

function hasJapaneseEscapes(bytes: Uint8Array): boolean {
	const text = asBuffer(bytes.subarray(0, sampleBytes)).toString('latin1');
	return text.includes('\x1b$B') || text.includes('\x1b$@');
}

/** From the first byte that is not ASCII: what is far before it says nothing. */
function sampleOf(bytes: Uint8Array): Uint8Array {
	const first = bytes.findIndex((byte) => byte >= 0x80);
	const start = first < 256 ? 0 : first;
	return bytes.subarray(start, start + sampleBytes);
}

/** What detection found, unless the bytes mean nothing in it, or nothing speaks for it but that they mean something. */
function isPlausible(sample: Uint8Array, { name, confidence }: Match): boolean {
	const text = name.startsWith('UTF') ? undefined : decodeAs(sample, name);
	if (text === undefined) return false;
	const wrong = text.split('\uFFFD').length - 1;
	if (wrong * 50 > text.length) return false;
	if (/^(?:iso-8859|windows|koi8)/i.test(name)) return !strayAccents.test(text);
	return confidence > noEvidence || !isWithinWord.test(asBuffer(sample).toString('latin1'));
}

/** No text holds accents without letters: they are what `²`, `½` and `¸` of Western charsets look like in others. */
const strayAccents = /[ˇ˘˛˝˙]/;
/** How sure detection is of an Asian charset by a few bytes that could be anything. */
const noEvidence = 10;
/** A letter before a byte of another kind: `für`. */
const isWithinWord = /[a-z][\x80-\xff]/i;

/** One wrong byte in a long log does not make it windows-1252. */
function isDamagedUtf8(sample: Uint8Array): boolean {
	const text = asBuffer(sample).toString('utf8');
	let wrong = 0;
	let foreign = 0;
	for (const character of text) {
		if (character === '\uFFFD') wrong++;
		else if (character > '\x7f') foreign++;
	}
	return wrong * 10 < foreign && foreign > 0;
}

/** What is called Latin-1 is nearly always its Windows variant, which holds all of it; likewise for others. */
function widened(charset: string): string {
	return wider[charset] ?? charset;
}

const wider: Readonly<Record<string, string>> = {
	utf8: 'utf-8',
	ascii: 'windows-1252',
	'us-ascii': 'windows-1252',
	latin1: 'windows-1252',
	'iso-8859-1': 'windows-1252',
	'iso-8859-9': 'windows-1254',
	gb2312: 'gb18030',
	gbk: 'gb18030',
	shift_jis: 'cp932',
	'euc-kr': 'cp949',
	'iso-8859-8': 'windows-1255',
	'iso-8859-8-i': 'windows-1255',
};

function asBuffer(bytes: Uint8Array): Buffer {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
