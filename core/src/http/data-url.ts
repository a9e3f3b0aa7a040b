/** A data URL that cannot be taken; `message` says why, in words for the caller. */
export class DataUrlError extends Error {
	override readonly name = 'DataUrlError';
}

/**
 * Decodes a base64 data URL (RFC 2397), with or without a media type and parameters. The media type is dropped: content decides.
 * Throws {@link DataUrlError} for other URLs, for data that is not base64 and for empty data. Missing padding is forgiven.
 */
export function decodeDataUrl(url: string): Uint8Array {
	if (/^https?:/i.test(url)) {
		throw new DataUrlError('only data URLs are taken here: this server does not fetch pictures');
	}
	if (!/^data:/i.test(url))
		throw new DataUrlError('a data URL is expected: data:image/png;base64,…');
	const comma = headerEnd(url);
	if (comma < 0) throw new DataUrlError('the data URL has no comma after its header');
	if (!isBase64(url, comma)) {
		throw new DataUrlError('the data URL must be base64: data:image/png;base64,…');
	}
	const decoder = new Base64Decoder();
	const bytes = decoder.push(url.slice(comma + 1));
	const rest = decoder.end();
	return rest.length === 0 ? bytes : Buffer.concat([bytes, rest]);
}

/** Where the data of a base64 data URL begins; undefined for all other texts. The beginning of a URL is enough. */
export function dataStart(url: string): number | undefined {
	if (!/^data:/i.test(url)) return undefined;
	const comma = headerEnd(url);
	return comma >= 0 && isBase64(url, comma) ? comma + 1 : undefined;
}

/** Decodes base64 (RFC 4648 §4 and §5) that comes in pieces of any size. Throws {@link DataUrlError} for what is none, and for nothing. */
export class Base64Decoder {
	/** Fewer than four digits. */
	#rest = '';
	#padding = 0;
	#isEmpty = true;

	/** Returns the bytes that are complete, in memory of their own. */
	push(piece: string): Buffer {
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
		if (this.#isEmpty) throw new DataUrlError('the data URL holds no data');
		if (this.#rest.length === 1) throw notBase64();
		return bytes;
	}

	#decode(digits: string): Buffer {
		const bytes = Buffer.allocUnsafeSlow(Math.floor((digits.length * 3) / 4));
		// Node's decoder skips what is not base64, so damage shows as missing bytes. Of characters beyond ASCII it only sees a part.
		const isDamaged =
			Buffer.byteLength(digits) !== digits.length || bytes.write(digits, 'base64') < bytes.length;
		if (isDamaged) throw notBase64();
		this.#isEmpty &&= bytes.length === 0;
		return bytes;
	}
}

/** Where the comma is; -1 when there is none where a header could end. */
function headerEnd(url: string): number {
	return url.slice(0, 1025).indexOf(',');
}

function isBase64(url: string, comma: number): boolean {
	return /;\s*base64\s*$/i.test(url.slice(0, comma));
}

function notBase64(): DataUrlError {
	return new DataUrlError('the data URL is not valid base64');
}
