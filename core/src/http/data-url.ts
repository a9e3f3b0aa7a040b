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
	const comma = url.indexOf(',');
	if (comma < 0 || comma > 1024)
		throw new DataUrlError('the data URL has no comma after its header');
	if (!/;\s*base64\s*$/i.test(url.slice(0, comma))) {
		throw new DataUrlError('the data URL must be base64: data:image/png;base64,…');
	}
	return decodeBase64(url.slice(comma + 1));
}

function decodeBase64(data: string): Uint8Array {
	const digits = data.replace(/={1,2}$/, '');
	const bytes = Buffer.from(digits, 'base64');
	if (bytes.length === 0) throw new DataUrlError('the data URL holds no data');
	// Node's decoder skips what is not base64, so damage shows as missing bytes.
	if (digits.length % 4 === 1 || bytes.length !== Math.floor((digits.length * 3) / 4)) {
		throw new DataUrlError('the data URL is not valid base64');
	}
	return bytes;
}
