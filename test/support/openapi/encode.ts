import { isFile } from './facts.ts';
import { fileMark } from './schemas.ts';

/** The spelling of a value: variations that must not matter to a parser. */
export interface Spelling {
	/** Rotates the order of the members. */
	readonly rotation: number;
	readonly indent: number;
	/** Escapes everything outside ASCII. */
	readonly escaped: boolean;
	/** The boundary of multipart bodies. */
	readonly boundary: string;
	/** The content type of file parts. */
	readonly label: string;
	/** A suffix of the names of file fields. `[]` and `[0]` have no meaning. */
	readonly suffix: string;
}

/** Encodes JSON with the given order of members and spelling. */
export function jsonText(value: unknown, { rotation, indent, escaped }: Spelling): string {
	const text = JSON.stringify(rotated(value, rotation), null, indent);
	return escaped ? text.replace(/[\u0080-\uffff]/g, unicodeEscape) : text;
}

/**
 * Encodes a multipart body. The members of an object become fields, lists repeat a field, nested objects become
 * `name[member]`.
 */
export function formBytes(fields: unknown, spelling: Spelling): Uint8Array {
	const { boundary } = spelling;
	const parts = partsOf(rotated(fields, spelling.rotation) as object, '').map(([name, value]) =>
		Buffer.concat([
			Buffer.from(`--${boundary}\r\n${partHead(name, value, spelling)}\r\n\r\n`),
			isFile(value) ? value[fileMark].bytes : Buffer.from(String(value)),
			Buffer.from('\r\n'),
		]),
	);
	return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

function unicodeEscape(unit: string): string {
	return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function rotated(value: unknown, rotation: number): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	const entries = Object.entries(value);
	const at = entries.length === 0 ? 0 : rotation % entries.length;
	const order = [...entries.slice(at), ...entries.slice(0, at)];
	return Object.fromEntries(rotation % 2 ? order.reverse() : order);
}

function partsOf(value: object, prefix: string): [string, unknown][] {
	return Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
		const name = prefix === '' ? key : `${prefix}[${key}]`;
		if (Array.isArray(inner)) return inner.map((item): [string, unknown] => [name, item]);
		if (typeof inner === 'object' && inner !== null && !isFile(inner)) return partsOf(inner, name);
		return [[name, inner]];
	});
}

function partHead(name: string, value: unknown, { label, suffix }: Spelling): string {
	if (!isFile(value)) return `Content-Disposition: form-data; name="${name}"`;
	const { filename } = value[fileMark];
	return `Content-Disposition: form-data; name="${name}${suffix}"; filename="${filename}"\r\nContent-Type: ${label}`;
}
