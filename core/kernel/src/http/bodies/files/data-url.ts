/** A data URL that cannot be taken; `message` says why, in words for the caller. */
export class DataUrlError extends Error {
	override readonly name = 'DataUrlError';
}

/**
 * Decodes a base64 data URL (RFC 2397), with or without a media type and parameters, also one that does not say that
 * it is base64 where its beginning shows it. The media type is dropped: content decides. Throws {@link DataUrlError}
 * for other URLs, for data that is not base64 and for empty data. Missing padding is forgiven.
 */
export function decodeDataUrl(url: string): Uint8Array {
	if (/^https?:/i.test(url)) {
		throw new DataUrlError('only data URLs are taken here: this server does not fetch pictures');
	}
	if (!/^data:/i.test(url)) throw new DataUrlError('a data URL is expected: data:image/png;base64,…');
	const comma = headerEnd(url);
	if (comma < 0) throw new DataUrlError('the data URL has no comma after its header');
	if (!isBase64(url, comma)) {
		throw new DataUrlError('the data URL must be base64: data:image/png;base64,…');
	}
	return decodeBase64(url.slice(comma + 1));
}

/**
 * Decodes a document: a data URL, in base64 or (up to 1 MB) percent-encoded, or base64 alone. The media type is
 * ignored. Throws {@link DataUrlError} for everything else, and for no data.
 */
export function decodeFileData(text: string): Uint8Array {
	if (!isAddress(text)) return decodeBase64(text);
	if (!/^data:/i.test(text) || dataStart(text) !== undefined) return decodeDataUrl(text);
	const comma = headerEnd(text);
	if (comma < 0) throw new DataUrlError('the data URL has no comma after its header');
	// It is decoded at once, and base64 is what long data is sent in.
	if (text.length > longestPercent) throw new DataUrlError('data of more than 1 MB must be base64');
	return percentDecoded(text.slice(comma + 1));
}

/** Characters of the longest data URL that need not be base64. */
const longestPercent = 1_048_576;

/** Whether a text is an address of any kind, and so no base64 alone. The beginning is enough. */
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
 * Decodes base64 (RFC 4648 §4 and §5) that comes in pieces of any size. White space is passed over, as the WHATWG's
 * forgiving decoder does: encoders break lines. Throws {@link DataUrlError} for what is no base64, and for nothing.
 */
export class Base64Decoder {
	/** Fewer than four digits. */
	#rest = '';
	#padding = 0;
	#isEmpty = true;

	/** Returns the bytes that are complete, in memory of their own. */
	push(sent: string): Buffer {
		const piece = /[\t\n\f\r ]/.test(sent) ? sent.replace(/[\t\n\f\r ]+/g, '') : sent;
		let end = piece.length;
		while (end > 0 && piece[end - 1] === '=') end--;
		if (end > 0 && this.#padding > 0) throw notBase64();
		this.#padding += piece.length - end;
		if (this.#padding > 2) throw notBase64();
		const digits = this.#rest + piece.slice(0, end);
		const whole = digits.length - (digits.length % 4);
		this.#rest = digits.slice(whole);
		return this.#decode(digits.slice(0, whole));
	}

	/** Returns the last bytes. */
	end(): Buffer {
		const bytes = this.#decode(this.#rest);
		if (this.#isEmpty) throw new DataUrlError('it holds no data');
		if (this.#rest.length === 1) throw notBase64();
		return bytes;
	}

	#decode(digits: string): Buffer {
		const bytes = Buffer.allocUnsafeSlow(Math.floor((digits.length * 3) / 4));
		// Node's decoder skips what is not base64, so damage shows as missing bytes. Of characters beyond ASCII it only
		// sees a part.
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

/** The bytes of percent-encoded data; a percent sign without two digits stands for itself (WHATWG URL §1.3). */
function percentDecoded(data: string): Uint8Array {
	if (data === '') throw new DataUrlError('it holds no data');
	const bytes = Buffer.from(data).toString('latin1');
	const decoded = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
	return Buffer.from(decoded, 'latin1');
}

/** Where the comma is; -1 when there is none where a header could end. */
function headerEnd(url: string): number {
	return url.slice(0, 1025).indexOf(',');
}

/** Some clients leave out that it is base64: what begins as a file of bytes does in base64 is no text. */
function isBase64(url: string, comma: number): boolean {
	const isSaid = /;\s*base64\s*$/i.test(url.slice(0, comma));
	return isSaid || filesBegin.test(url.slice(comma + 1, comma + 13));
}

/** PDF, ZIP (which Office and EPUB are), OLE, RTF, PNG, JPEG and WebP. */
const filesBegin = /^(?:JVBERi0|UEsDB|0M8R4KGx|e1xydGY|iVBORw0KGgo|\/9j\/|UklGR)/;

function notBase64(): DataUrlError {
	return new DataUrlError('the data is not valid base64');
}
