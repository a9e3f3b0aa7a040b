import { promisify } from 'node:util';

/** Shorter texts are sent as they are. */
export const minBytes = 1_024;

/** An encoding that a client takes by its `Accept-Encoding` (RFC 9110 §12.5.3); undefined: none of ours. */
export function acceptedEncoding(header = ''): 'br' | 'gzip' | undefined {
	return (['br', 'gzip'] as const).find((name) =>
		new RegExp(`(?:^|,)\\s*${name}\\s*(?:$|,|;(?!\\s*q\\s*=\\s*0(?:\\.0*)?\\s*(?:$|,)))`, 'i').test(header),
	);
}

/** The text in an encoding. It is made in a thread of its own. */
export async function compress(text: string, encoding: 'br' | 'gzip'): Promise<Buffer> {
	// Most servers have no client that asks for it.
	const { brotliCompress, constants, gzip } = await import('node:zlib');
	if (encoding === 'gzip') return promisify(gzip)(text);
	// A higher quality takes several times as long for a few percent.
	const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
	return promisify(brotliCompress)(text, { params });
}
