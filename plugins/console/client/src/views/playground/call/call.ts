import { ApiError } from '../../../api/error.ts';
import type { Capability, Values } from '../spec/capabilities.ts';
import type { FieldSpec } from '../spec/fields.ts';

/** A JSON value. Files in it are {@link Embedded}. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json } | Embedded;

/** A file inside a JSON body. Calls send its base64; snippets contain code that reads the file. */
export class Embedded {
	readonly file: File;
	/** The text before the base64: `data:text/plain;base64,`. */
	readonly prefix: string;

	constructor(file: File, prefix: string) {
		this.file = file;
		this.prefix = prefix;
	}
}

/** The files of a form by parameter. */
export type Files = Readonly<Record<string, readonly File[]>>;

/** The request of a form. */
export interface Call {
	readonly path: string;
	readonly encoding: 'json' | 'form';
	readonly fields: { readonly [name: string]: Json };
	/** The files of the encoding `form`. Files of one parameter are consecutive. */
	readonly files: readonly { readonly name: string; readonly file: File; readonly isMultiple: boolean }[];
	/** The server's defaults by parameter. */
	readonly defaults?: Readonly<Record<string, FieldSpec['fallback']>>;
}

/** The request with the current values of a form. Empty values are left out. */
export function callOf(
	{ path, isUpload }: Pick<Capability, 'path' | 'isUpload'>,
	fields: readonly FieldSpec[],
	{ values, files }: { readonly values: Values; readonly files: Files },
): Call {
	const entries = fields.flatMap((field) => {
		const value = jsonOf(field, values[field.name]);
		return value === undefined ? [] : [[field.name, value] as const];
	});
	const attached = fields
		.filter(({ kind }) => kind === 'file')
		.flatMap(({ name }) => {
			const chosen = files[name] ?? [];
			return chosen.map((file) => ({ name, file, isMultiple: chosen.length > 1 }));
		});
	const encoding = isUpload || attached.length > 0 ? 'form' : 'json';
	const defaults = Object.fromEntries(fields.map(({ name, fallback }) => [name, fallback]));
	return { path, encoding, fields: Object.fromEntries(entries), files: attached, defaults };
}

/** An error for the first JSON field whose text is not JSON. */
export function problemOf(fields: readonly FieldSpec[], values: Values): ApiError | undefined {
	const invalid = fields.find(({ name, kind }) => {
		const text = values[name];
		return kind === 'json' && typeof text === 'string' && text.trim() !== '' && parsed(text) === undefined;
	});
	return invalid && new ApiError('This is not JSON.', { param: invalid.name });
}

function jsonOf({ kind, options, required, fallback }: FieldSpec, value: Values[string] | undefined): Json | undefined {
	if (kind === 'file') return undefined;
	if (typeof value === 'boolean') return value;
	if (typeof value === 'object') return value.length > 0 ? value : undefined;
	// The chosen option may be one of another model.
	const text = kind === 'choice' && value !== undefined && !options.includes(value) ? '' : (value ?? '');
	if (text === '') return required && kind === 'choice' ? defaultOption({ options, fallback }) : undefined;
	// A text that is not a number is sent as text, so that the server returns an error for it.
	if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
	return kind === 'json' ? parsed(text) : text;
}

/** The option that a field shows before the user has chosen one. */
export function defaultOption({ options, fallback }: Pick<FieldSpec, 'options' | 'fallback'>): string | undefined {
	return fallback === undefined ? options[0] : String(fallback);
}

function parsed(text: string): Json | undefined {
	try {
		return JSON.parse(text) as Json;
	} catch {
		return undefined;
	}
}

/** The multipart body of a call. */
export function formOf({ fields, files }: Call): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) {
		if (Array.isArray(value)) for (const each of value) form.append(`${name}[]`, textOf(each));
		else form.append(name, textOf(value));
	}
	for (const { name, file, isMultiple } of files) form.append(isMultiple ? `${name}[]` : name, file, file.name);
	return form;
}

/** A value as a field of a form. */
export function textOf(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value);
}
