/** What a text in RTF is made of, in order. */
export interface RtfHandler {
	open(): void;
	close(): void;
	/** A control word with its number: `\fs24`. */
	word(name: string, number: number | undefined): void;
	/** A control symbol: the character behind the backslash. */
	symbol(character: string): void;
	/** One byte, written as `\'e4`. */
	hex(byte: number): void;
	/** Bytes as they are. */
	raw(bytes: Buffer): void;
}

/** Reads RTF from its first byte to its last, without recursion. Pictures and other binary data (`\bin`) are left out. */
export function readRtfTokens(bytes: Buffer, handler: RtfHandler): void {
	let at = 0;
	while (at < bytes.length) {
		const byte = bytes[at];
		if (byte === open) handler.open();
		else if (byte === close) handler.close();
		else if (byte === backslash) {
			at = control(bytes, at + 1, handler);
			continue;
		} else if (byte !== lineFeed && byte !== carriageReturn && byte !== 0) {
			const end = endOfRaw(bytes, at);
			handler.raw(bytes.subarray(at, end));
			at = end;
			continue;
		}
		at++;
	}
}

const backslash = 0x5c;
const open = 0x7b;
const close = 0x7d;
const lineFeed = 10;
const carriageReturn = 13;
const apostrophe = 0x27;
const minus = 0x2d;
const blank = 0x20;
/** No control word is longer; what comes behind is text. */
const longestWord = 32;
const longestNumber = 11;

function endOfRaw(bytes: Buffer, from: number): number {
	let at = from;
	for (; at < bytes.length; at++) {
		const byte = bytes[at];
		if (byte === backslash || byte === open || byte === close) break;
		if (byte === lineFeed || byte === carriageReturn || byte === 0) break;
	}
	return at;
}

/** Reads what follows a backslash and returns where it ends. */
function control(bytes: Buffer, from: number, handler: RtfHandler): number {
	const first = bytes[from];
	if (first === undefined) return from;
	if (first === apostrophe) {
		const value = digit(bytes[from + 1]) * 16 + digit(bytes[from + 2]);
		if (!Number.isNaN(value)) handler.hex(value);
		return from + 3;
	}
	if (!isLetter(first)) {
		handler.symbol(String.fromCharCode(first));
		return from + 1;
	}
	const wordEnd = endOf(bytes, from, longestWord, isLetter);
	const signed = bytes[wordEnd] === minus ? wordEnd + 1 : wordEnd;
	const numberEnd = endOf(bytes, signed, longestNumber, isDigit);
	const hasNumber = numberEnd > signed;
	const name = bytes.toString('latin1', from, wordEnd);
	const number = hasNumber ? Number(bytes.toString('latin1', wordEnd, numberEnd)) : undefined;
	const end = hasNumber ? numberEnd : wordEnd;
	const next = bytes[end] === blank ? end + 1 : end;
	if (name === 'bin') return next + Math.max(0, number ?? 0);
	handler.word(name, number);
	return next;
}

function endOf(bytes: Buffer, from: number, most: number, fits: (byte: number) => boolean): number {
	let at = from;
	while (at < from + most && fits(bytes[at] ?? 0)) at++;
	return at;
}

/** The value of a hexadecimal digit, NaN for other characters. */
function digit(byte = 0): number {
	if (isDigit(byte)) return byte - 0x30;
	const letter = (byte | 0x20) - 0x61;
	return letter >= 0 && letter < 6 ? letter + 10 : Number.NaN;
}

function isLetter(byte: number): boolean {
	return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}

function isDigit(byte: number): boolean {
	return byte >= 0x30 && byte <= 0x39;
}
