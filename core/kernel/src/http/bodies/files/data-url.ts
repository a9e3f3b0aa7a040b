/** The error for invalid data. `message` is the reason, as a part of a message to the client. */
export class DataUrlError extends Error {
	override readonly name = 'DataUrlError';
}

/**
 * Decodes a base64 data URL (RFC 2397), with or without a media type and parameters, also one without `;base64` if its
 * data begins like a known binary file. The media type is ignored, because the content decides the type. Throws
 * {@link DataUrlError} for other URLs, for data that is not base64 and for empty data. Padding may be missing.
 */
export function decodeDataUrl(url: string): Uint8Array {
	if (/^https?:/i.test(url)) {
		throw new DataUrlError('only data URLs are taken here: this server does not fetch pictures');
	}
	if (!/^data:/i.test(url)) throw new DataUrlError('a data URL is expected: data:image/png;base64,…');
	const comma = headerEnd(url);
	if (comma < 0) throw new DataUrlError('the data URL has no comma after its header');
	if (!isBase64(url, comma)) throw new DataUrlError('the data URL must be base64: data:image/png;base64,…');
	return decodeBase64(url.slice(comma + 1));
}

/**
 * Decodes a document: a data URL, in base64 or (up to 1 MB) percent-encoded, or base64 alone. The media type is
 * ignored. Throws {@link DataUrlError} for everything else, and for empty data.
 */
export function decodeFileData(text: string): Uint8Array {
	if (!isAddress(text)) return decodeBase64(text);
	if (!/^data:/i.test(text) || dataStart(text) !== undefined) return decodeDataUrl(text);
	const comma = headerEnd(text);
	if (comma < 0) throw new DataUrlError('the data URL has no comma after its header');
	// Percent-encoded data is decoded in one step, so it must be short. Clients send long data as base64.
	if (text.length > longestPercent) throw new DataUrlError('data of more than 1 MB must be base64');
	return percentDecoded(text.slice(comma + 1));
}

/** Characters of the longest data URL that need not be base64. */
const longestPercent = 1_048_576;

/** Whether a text is a URL of any kind, and so not base64 alone. The beginning of the text is enough. */
export function isAddress(text: string): boolean {
	return text.includes(':');
}

/** Where the data of a base64 data URL begins; undefined for all other texts. The beginning of a URL is enough. */
export function dataStart(url: string): number | undefined {
	if (!/^data:/i.test(url)) return undefined;
	const comma = headerEnd(url);
	return comma >= 0 && isBase64(url, comma) ? comma + 1 : undefined;
}

/**
 * Decodes base64 (RFC 4648 §4 and §5) that arrives in pieces of any size. White space is skipped, as in the WHATWG's
 * forgiving decoder, because encoders break lines. Throws {@link DataUrlError} for invalid base64 and for empty data.
 */
export class Base64Decoder {
	/** The last digits, fewer than four, which are not decoded yet. */
	#rest = '';
	#padding = 0;
	#isEmpty = true;

	/** Returns the bytes that are complete, in memory of their own. */
	push(text: string): Buffer {
		const piece = /[\t\n\f\r ]/.test(text) ? text.replace(/[\t\n\f\r ]+/g, '') : text;
		let end = piece.length;
		while (end > 0 && piece[end - 1] === '=') end--;
		if (end > 0 && this.#padding > 0) throw notBase64();
		this.#padding += piece.length - end;
		if (this.#padding > 2) throw notBase64();
		const digits = this.#rest + piece.slice(0, end);
		const decodable = digits.length - (digits.length % 4);
		this.#rest = digits.slice(decodable);
		return this.#decode(digits.slice(0, decodable));
	}

	end(): Buffer {
		const bytes = this.#decode(this.#rest);
		if (this.#rest.length === 1) throw notBase64();
		if (this.#isEmpty) throw new DataUrlError('it holds no data');
		return bytes;
	}

	#decode(digits: string): Buffer {
		const bytes = Buffer.allocUnsafeSlow(Math.floor((digits.length * 3) / 4));
		// Node's decoder skips invalid characters, so that bytes are missing. It reads only a part of each character
		// beyond ASCII, so these are detected by the length in UTF-8.
		const isDamaged = Buffer.byteLength(digits) !== digits.length || bytes.write(digits, 'base64') < bytes.length;
		if (isDamaged) throw notBase64();
		this.#isEmpty &&= bytes.length === 0;
		return bytes;
	}
}

function decodeBase64(data: string): Uint8Array {
	const decoder = new Base64Decoder();
	const bytes = decoder.push(data);
	const rest = decoder.end();
	return rest.length === 0 ? bytes : Buffer.concat([bytes, rest]);
}

/** The bytes of percent-encoded data. A percent sign without two digits is kept (WHATWG URL §1.3). */
function percentDecoded(data: string): Uint8Array {
	if (data === '') throw new DataUrlError('it holds no data');
	const bytes = Buffer.from(data).toString('latin1');
	const decoded = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
	return Buffer.from(decoded, 'latin1');
}

/** The position of the comma after the header; -1 when the first 1,025 characters have none. */
function headerEnd(url: string): number {
	return url.slice(0, 1025).indexOf(',');
}

/** Whether the data is base64. Some clients omit `;base64`, so data that begins like a binary file in base64 counts. */
function isBase64(url: string, comma: number): boolean {
	const isDeclared = /;\s*base64\s*$/i.test(url.slice(0, comma));
	return isDeclared || fileBeginnings.test(url.slice(comma + 1, comma + 13));
}

/** PDF, ZIP (which Office and EPUB are), OLE, RTF, PNG, JPEG and WebP. */
const fileBeginnings = /^(?:JVBERi0|UEsDB|0M8R4KGx|e1xydGY|iVBORw0KGgo|\/9j\/|UklGR)/;

function notBase64(): DataUrlError {
	return new DataUrlError('the data is not valid base64');
}
