import { isAscii, isUtf8 } from 'node:buffer';
import { decodeAs, decodeText } from '../charset.ts';

/** As far as browsers look for a declaration, and as far again. */
const startBytes = 2_048;

/**
 * The characters of an HTML file: by its byte order mark, then by what the file declares (`<meta charset>`, an XML declaration), else as any text.
 * Files that say something else and are UTF-8 are read as what they are.
 */
export function decodeHtml(bytes: Uint8Array): string {
	const declared = declaredCharset(bytes);
	if (declared === undefined || isMarked(bytes) || isOtherwise(bytes, declared)) {
		return decodeText(bytes).text;
	}
	return decodeAs(bytes, declared) ?? decodeText(bytes).text;
}

function declaredCharset(bytes: Uint8Array): string | undefined {
	const start = Buffer.from(bytes.subarray(0, startBytes)).toString('latin1');
	const found =
		/<meta\b[^>]{0,500}?\bcharset\s*=\s*["']?\s*([\w.:-]{2,40})/i.exec(start) ??
		/^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{2,40})["']/i.exec(start);
	return found?.[1]?.toLowerCase();
}

function isMarked([first, second, third]: Uint8Array): boolean {
	return (
		(first === 0xef && second === 0xbb && third === 0xbf) ||
		(first === 0xff && second === 0xfe) ||
		(first === 0xfe && second === 0xff)
	);
}

/** What a file says of itself in ASCII cannot be UTF-16, and texts in other charsets are no UTF-8 by chance. */
function isOtherwise(bytes: Uint8Array, declared: string): boolean {
	if (/^(utf-?16|utf-?32|ucs-?[24])/.test(declared)) return true;
	return /^utf-?8$/.test(declared) ? !isUtf8(bytes) : !isAscii(bytes) && isUtf8(bytes);
}
