import { type ApiDocument, escapePointer, type Operation, type Schema } from './document.ts';
import { type Facts, isFile, type Tolerance } from './facts.ts';
import { type Check, fileMark, SchemaChecks } from './schemas.ts';

/** The expected result of a request: success, an error, or either when the document does not say. */
export type Verdict = 'accept' | 'refuse' | 'either';

/** Predicts the result of a request from the document and from the facts of one deployment. */
export class Oracle {
	readonly #document: ApiDocument;
	readonly #facts: Facts;
	readonly #json: SchemaChecks;
	readonly #form: SchemaChecks;

	constructor(document: ApiDocument, facts: Facts) {
		this.#document = document;
		this.#facts = facts;
		this.#json = new SchemaChecks(document, 'json');
		this.#form = new SchemaChecks(document, 'form');
	}

	/** The verdict on a body. Form fields are texts, files, lists of them, and objects for `name[member]`. */
	body(operation: Operation, type: string, sent: unknown): Verdict {
		const isJson = type === 'application/json';
		const pointer = `${operation.pointer}/requestBody/content/${escapePointer(type)}/schema`;
		const schema = operation.requestBody?.content[type]?.schema ?? {};
		if (isJson && hasKey(sent, ['__proto__'])) return 'refuse';
		const check = (isJson ? this.#json : this.#form).at(pointer);
		const value = isJson ? this.#tolerated(operation, schema, sent) : this.#typed(schema, sent);
		const isAllowed = check(value).length === 0 && this.#exists(operation, schema, value, '');
		if (!isAllowed || !this.isConsistent(operation, value)) return 'refuse';
		return isJson && hasKey(sent, ['constructor', 'prototype']) ? 'either' : 'accept';
	}

	/** Whether the members of a body are consistent, given that the document allows each of them. */
	isConsistent({ name }: Operation, body: unknown): boolean {
		return this.#facts.bodyRules?.[name]?.(body as Record<string, unknown>) ?? true;
	}

	/** The verdict on one query parameter. A list is a repeated parameter. */
	parameter(operation: Operation, name: string, sent: string | readonly string[]): Verdict {
		const parameters = operation.parameters ?? [];
		const index = parameters.findIndex((candidate) => candidate.in === 'query' && candidate.name === name);
		const schema = parameters[index]?.schema;
		const at = `${operation.name} ${name}`;
		const isTolerated = this.#facts.tolerated.some((candidate) => candidate.at === at && candidate.value === sent);
		if (!schema || isTolerated) return 'accept';
		const check = this.#json.at(`${operation.pointer}/parameters/${index}/schema`);
		const value = this.#typed(schema, sent);
		const isAllowed = check(value).length === 0 && this.#exists(operation, schema, value, name);
		return isAllowed ? 'accept' : 'refuse';
	}

	#tolerated(operation: Operation, schema: Schema, sent: unknown): unknown {
		if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
		const { required = [], properties = {} } = this.#document.resolve(schema);
		const hasTextualScalars = this.#facts.textualScalars?.includes(operation.name) ?? false;
		const members = Object.entries(sent).flatMap(([name, value]): [string, unknown][] => {
			const isConsistent = (tolerance: Tolerance) =>
				tolerance.value === value &&
				name in properties &&
				(tolerance.at === `${operation.name} ${name}` || (tolerance.at === '*' && !required.includes(name)));
			const tolerance = this.#facts.tolerated.find(isConsistent);
			if (!tolerance && hasTextualScalars && typeof value === 'string') {
				return [[name, this.#typed(properties[name] ?? {}, value)]];
			}
			if (!tolerance) return [[name, value]];
			return tolerance.means === undefined ? [] : [[name, tolerance.means]];
		});
		return Object.fromEntries(members);
	}

	/** Converts texts to the types of the schema. */
	#typed(schema: Schema, sent: unknown): unknown {
		const { type, properties, required = [] } = this.#document.resolve(schema);
		if (typeof sent === 'string') {
			if (type === 'integer' || type === 'number') return numberIn(sent);
			if (type === 'boolean') return booleans[sent.toLowerCase()] ?? sent;
			return sent;
		}
		if (typeof sent !== 'object' || sent === null || Array.isArray(sent) || isFile(sent)) return sent;
		const members = Object.entries(sent).map(([name, value]): [string, unknown] => [
			name,
			this.#typed(properties?.[name] ?? {}, value),
		]);
		// A form has no encoding for an object without members.
		return Object.fromEntries(members.filter(([name, value]) => required.includes(name) || !isEmptyObject(value)));
	}

	/** Whether all named resources exist, for the members that the document lists. */
	#exists(operation: Operation, schema: Schema, value: unknown, address: string): boolean {
		const resolved = this.#document.resolve(schema);
		const known = this.#facts.known[`${operation.name} ${address}`];
		if (known && typeof value === 'string') {
			const isSpelling = this.#facts.spellings?.[`${operation.name} ${address}`];
			return known.includes(normalizeDataUrl(value)) || isSpelling?.(value) === true;
		}
		if (isFile(value)) {
			return value[fileMark].isValid || this.#facts.anyFile?.includes(operation.name) === true;
		}
		if (typeof value !== 'object' || value === null) return true;
		const options = [resolved, ...(resolved.oneOf ?? []), ...(resolved.anyOf ?? [])];
		if (Array.isArray(value)) {
			return options.every(({ items = {} }) => value.every((item) => this.#exists(operation, items, item, address)));
		}
		return options.every((option) =>
			Object.entries(this.#document.resolve(option).properties ?? {}).every(([name, inner]) => {
				const found = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
				const innerAddress = address === '' ? name : `${address}.${name}`;
				return found === undefined || this.#exists(operation, inner, found, innerAddress);
			}),
		);
	}
}

/** A check for the examples of a document. */
export function requestCheck(document: ApiDocument, pointer: string): Check {
	return new SchemaChecks(document, 'json').at(pointer);
}

/** A data URL without white space in its base64 and with padding. Other texts are returned unchanged. */
export function normalizeDataUrl(text: string): string {
	const [head = '', ...data] = text.startsWith('data:') ? text.split(',') : [text];
	const digits = data.map((part) => part.replace(/[\t\n\f\r ]/g, '').replace(/(?<!=)={1,2}$/, ''));
	return [head, ...digits.map((part) => part.padEnd(Math.ceil(part.length / 4) * 4, '='))].join(',');
}

const booleans: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

function numberIn(text: string): unknown {
	return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

function isEmptyObject(value: unknown): boolean {
	return typeof value === 'object' && value !== null && !isFile(value) && Object.keys(value).length === 0;
}

function hasKey(value: unknown, keys: readonly string[]): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return Object.entries(value).some(([key, inner]) => keys.includes(key) || hasKey(inner, keys));
}
