import { isFile } from './facts.ts';
import { fileMark } from './schemas.ts';

/** How a value is spelled: the parts that a parser must not care about. */
export interface Spelling {
	/** Turns the order of members. */
	readonly turn: number;
	readonly indent: number;
	/** Writes everything outside ASCII as an escape. */
	readonly escaped: boolean;
	/** Of multipart bodies. */
	readonly boundary: string;
	/** What file parts say that they are. */
	readonly label: string;
	/** Put behind the name of a file field: `[]` and `[0]` mean the same as nothing. */
	readonly suffix: string;
}

/** Writes JSON with its members in another order and form. */
export function jsonText(value: unknown, { turn, indent, escaped }: Spelling): string {
	const text = JSON.stringify(turned(value, turn), null, indent);
	return escaped ? text.replace(/[\u0080-\uffff]/g, unicodeEscape) : text;
}

/** Writes a multipart body: an object's members are its fields, lists repeat them, objects become `name[member]`. */
export function formBytes(fields: unknown, spelling: Spelling): Uint8Array {
	const { boundary } = spelling;
	const parts = partsOf(turned(fields, spelling.turn) as object, '').map(([name, value]) =>
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

function turned(value: unknown, turn: number): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	const entries = Object.entries(value);
	const at = entries.length === 0 ? 0 : turn % entries.length;
	const order = [...entries.slice(at), ...entries.slice(0, at)];
	return Object.fromEntries(turn % 2 ? order.reverse() : order);
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
