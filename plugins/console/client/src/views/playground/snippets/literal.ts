import { type Call, Embedded, type Json } from '../call/call.ts';

/** The syntax of a language for values. */
export interface Dialect {
	readonly words: { readonly true: string; readonly false: string; readonly null: string };
	/** A text with its quotes. */
	text(value: string): string;
	/** The name of a member, with the quotes that it needs. */
	name(name: string): string;
	/** An expression that reads a file. */
	file(embedded: Embedded): string;
	readonly indent: string;
	/** Whether a comma may follow the last member. */
	readonly hasLastComma: boolean;
}

/** A value as source text. Lines after the first one are indented by `depth` additional levels. */
export function literal(value: Json, dialect: Dialect, depth = 0): string {
	if (value instanceof Embedded) return dialect.file(value);
	if (typeof value === 'string') return dialect.text(value);
	if (value === null) return dialect.words.null;
	if (typeof value === 'boolean') return dialect.words[`${value}`];
	if (typeof value === 'number') return String(value);
	const isList = isArray(value);
	const parts = isList
		? value.map((each) => literal(each, dialect, depth + 1))
		: Object.entries(value).map(([name, each]) => `${dialect.name(name)}: ${literal(each, dialect, depth + 1)}`);
	const [open, close] = isList ? ['[', ']'] : ['{', '}'];
	if (parts.length === 0) return open + close;
	const inner = dialect.indent.repeat(depth + 1);
	const last = dialect.hasLastComma ? ',' : '';
	return `${open}\n${inner}${parts.join(`,\n${inner}`)}${last}\n${dialect.indent.repeat(depth)}${close}`;
}

const invisible = /[\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g;

/**
 * A text in double quotes that is valid in JSON, Python and TypeScript. Invisible characters, and those that change the
 * direction of text, are escaped, so that the snippet does what it looks like.
 */
export function quoted(text: string): string {
	return JSON.stringify(text).replace(invisible, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A file name without line breaks and invisible characters, so that it cannot end a line of the snippet. */
export function nameOf({ name }: File): string {
	return name.replace(invisible, '_').replace(/\p{Cc}/gu, '_');
}

/** The extension of a result file. A format may be any text of the user, so only word characters are accepted. */
export function extensionOf({ fields, defaults }: Call, name: string, fallback: string): string {
	const format = fields[name] ?? defaults?.[name];
	return typeof format === 'string' && /^\w+$/.test(format) ? format : fallback;
}

/** `Array.isArray` with a type guard for read-only arrays. */
function isArray(value: Json): value is readonly Json[] {
	return Array.isArray(value);
}
