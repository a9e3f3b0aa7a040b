import { TextDecoder } from 'node:util';
import { documentError } from '../refusal.ts';

const chunkBytes = 65_536;

/**
 * The characters of an XML file, in parts. The encoding is that of a byte order mark, of the zero bytes of UTF-16, or what the declaration says;
 * else UTF-8. What cannot be decoded becomes U+FFFD. An encoding that nobody knows throws `E_DOCUMENT_UNREADABLE`.
 */
export function* charactersOf(bytes: Uint8Array): Generator<string> {
	const decoder = decoderOf(encodingOf(bytes));
	for (let at = 0; at < bytes.length; at += chunkBytes) {
		yield decoder.decode(bytes.subarray(at, at + chunkBytes), { stream: true });
	}
	yield decoder.decode();
}

function encodingOf(bytes: Uint8Array): string {
	const [first, second, third] = bytes;
	if (first === 0xfe && second === 0xff) return 'utf-16be';
	if (first === 0xff && second === 0xfe) return 'utf-16le';
	if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
	if (first === 0 && second === 0x3c) return 'utf-16be';
	if (first === 0x3c && second === 0) return 'utf-16le';
	const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1');
	const declared = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
	// A file that could be read so far holds one byte a character, whatever it says.
	return declared && !/^(utf-?16|ucs-?2)/i.test(declared) ? declared : 'utf-8';
}

function decoderOf(encoding: string): TextDecoder {
	try {
		return new TextDecoder(encoding);
	} catch (cause) {
		throw documentError('E_DOCUMENT_UNREADABLE', {
			message: `A part of the document is written in an unknown encoding, "${encoding}".`,
			cause,
		});
	}
}
