import { invalidValue, isAddress } from '@plinth/core';
import { documentFromField, type SentDocument } from '@plinth/toolkit';

/**
 * Parses the file in a field of a part: a data URL, or canonical base64 alone. Throws 400 errors that name `param`.
 * Long values arrive as files; the kernel has decoded them.
 */
export function fileData(sent: unknown, param: string): SentDocument {
	if (typeof sent === 'string' && !isAddress(sent) && !isCanonicalBase64(sent.trim())) {
		throw invalidValue(param, `${param}: a data URL or base64 is expected. The text is neither.`);
	}
	return documentFromField(sent, param);
}

/**
 * Whether a text is base64 as encoders write it (RFC 4648 §4 or §5): one alphabet, a possible length, unused bits of
 * zero. Lines may break after a multiple of four characters. The padding may be absent.
 */
function isCanonicalBase64(text: string): boolean {
	const lines = text.split(/\r?\n/);
	if (lines.slice(0, -1).some(({ length }) => length % 4 !== 0)) return false;
	const padded = lines.join('');
	const digits = padded.replace(/={1,2}$/, '');
	if (digits !== padded && padded.length % 4 !== 0) return false;
	const bytes = Buffer.from(digits, 'base64');
	return bytes.toString('base64url') === digits || bytes.toString('base64').replace(/=+$/, '') === digits;
}
