import type { DocumentMetadata } from '@plinth/toolkit';
import { type PdfObjects, referenceOf } from './objects.ts';

/** Reads the information dictionary. Empty where it stays encrypted. */
export function metadataOf(objects: PdfObjects): DocumentMetadata {
	const info = referenceOf(objects.trailer, 'Info') ?? -1;
	const lineOf = (key: string) => {
		const text = textOf(objects.string(info, key) ?? Buffer.alloc(0));
		return text.replace(/\s+/g, ' ').trim().slice(0, maxLength) || undefined;
	};
	const [title, author] = [lineOf('Title'), lineOf('Author')];
	const created = dateOf(lineOf('CreationDate'));
	return { ...(title && { title }), ...(author && { author }), ...(created && { created }) };
}

const maxLength = 1_000;

/** Text strings are UTF-16 or UTF-8 with a mark, else Latin (ISO 32000-2, 7.9.2.2). */
function textOf(bytes: Buffer): string {
	if (bytes[0] === 0xfe && bytes[1] === 0xff)
		return new TextDecoder('utf-16be').decode(bytes.subarray(0, bytes.length & ~1));
	if (bytes[0] === 0xef && bytes[1] === 0xbb) return new TextDecoder().decode(bytes);
	return new TextDecoder('windows-1252').decode(bytes);
}

/** `D:20240103093826+01'00'` as ISO 8601. */
function dateOf(text: string | undefined): string | undefined {
	const found = /^(?:D:)?(?!0000)(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?/.exec(
		text ?? '',
	);
	if (!found) return undefined;
	const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', , zone] = found;
	const offset = zone ? `${zone}:${found[9] ?? '00'}` : 'Z';
	const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
	return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
