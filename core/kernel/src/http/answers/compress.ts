import { promisify } from 'node:util';

/** Shorter texts are sent uncompressed. */
export const minBytes = 1_024;

/** The supported encoding that an `Accept-Encoding` allows (RFC 9110 §12.5.3), `br` first; undefined: none. */
export function acceptedEncoding(header = ''): 'br' | 'gzip' | undefined {
	return (['br', 'gzip'] as const).find((name) =>
		new RegExp(`(?:^|,)\\s*${name}\\s*(?:$|,|;(?!\\s*q\\s*=\\s*0(?:\\.0*)?\\s*(?:$|,)))`, 'i').test(header),
	);
}

/** Compresses a text, in the thread pool of Node. */
export async function compress(text: string | Uint8Array, encoding: 'br' | 'gzip'): Promise<Buffer> {
	// Loaded on demand: most servers have no client that requests compression.
	const { brotliCompress, constants, gzip } = await import('node:zlib');
	if (encoding === 'gzip') return promisify(gzip)(text);
	// A higher quality takes several times as long for a few percent.
	const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
	return promisify(brotliCompress)(text, { params });
}
