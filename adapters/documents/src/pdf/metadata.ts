import type { DocumentMetadata } from '@plinth/core';
import { type PdfObjects, referenceOf } from './objects.ts';

/** Reads the information dictionary. Empty where it is encrypted. */
export function metadataOf(objects: PdfObjects): DocumentMetadata {
	if (objects.trailer.includes('/Encrypt')) return {};
	const info = objects.text(referenceOf(objects.trailer, 'Info') ?? -1) ?? '';
	const title = stringOf(info, 'Title');
	const author = stringOf(info, 'Author');
	const created = dateOf(stringOf(info, 'CreationDate'));
	return { ...(title && { title }), ...(author && { author }), ...(created && { created }) };
}

const maxLength = 1_000;

function stringOf(dictionary: string, key: string): string | undefined {
	const pattern = new RegExp(
		`/${key}\\s*(?:\\(((?:\\\\[\\s\\S]|[^\\\\()]|\\((?:\\\\[\\s\\S]|[^\\\\()]){0,999}\\)){0,9999})\\)|<([0-9A-Fa-f\\s]*)>)`,
	);
	const [, literal, hex] = pattern.exec(dictionary) ?? [];
	const bytes = literal === undefined ? hexBytes(hex ?? '') : unescaped(literal);
	return textOf(bytes).replace(/\s+/g, ' ').trim().slice(0, maxLength) || undefined;
}

function hexBytes(hex: string): Buffer {
	return Buffer.from(hex.replace(/\s/g, ''), 'hex');
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function unescaped(literal: string): Buffer {
	const text = literal.replace(/\\(?:([0-7]{1,3})|([\s\S]))/g, (_, octal, character) =>
		octal === undefined
			? (escapes[character] ?? character)
			: String.fromCharCode(Number.parseInt(octal, 8) & 255),
	);
	return Buffer.from(text, 'latin1');
}

/** Text strings are UTF-16 or UTF-8 with a mark, else Latin (ISO 32000-2, 7.9.2.2). */
function textOf(bytes: Buffer): string {
	if (bytes[0] === 0xfe && bytes[1] === 0xff)
		return new TextDecoder('utf-16be').decode(bytes.subarray(0, bytes.length & ~1));
	if (bytes[0] === 0xef && bytes[1] === 0xbb) return new TextDecoder().decode(bytes);
	return new TextDecoder('windows-1252').decode(bytes);
}

/** `D:20240103093826+01'00'` as ISO 8601. */
function dateOf(text: string | undefined): string | undefined {
	const found =
		/^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?/.exec(
			text ?? '',
		);
	if (!found) return undefined;
	const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', , zone] =
		found;
	const offset = zone ? `${zone}:${found[9] ?? '00'}` : 'Z';
	const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
	return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
