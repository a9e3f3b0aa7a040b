import type { Json, JsonObject } from '@plinth/core';
import { figuresOf, findAll, numberOf } from '../text/finds.ts';
import type { Candidate } from './field.ts';
import { type TypeName, typesOf } from './schema.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const yes = /^(?:yes|true|y|on|checked|agreed|☒|☑|✓|✔|x)$/i;
const no = /^(?:no|false|n|off|unchecked|none|☐)$/i;

/** The values that can be read out of a text for a schema, best first; nothing is made up. */
export function valuesFrom(candidate: Candidate, schema: JsonObject): readonly Json[] {
	return typesOf(schema).flatMap((type) => ofType(candidate, type, schema));
}

/** A date as ISO 8601 writes it; undefined when the text is none or leaves open which day is meant. */
function isoDate(text: string): string | undefined {
	const [, year, month, day] = /(\d{4})[-./](\d{1,2})[-./](\d{1,2})/.exec(text) ?? [];
	if (year) return dated(Number(year), Number(month), Number(day));
	const name = /\p{L}{3,}/gu
		.exec(text.replace(/\b(?:st|nd|rd|th|of)\b/gi, ''))?.[0]
		.slice(0, 3)
		.toLowerCase();
	const named = name ? months.indexOf(name) + 1 : 0;
	const numbers = text.match(/\d+/g)?.map(Number) ?? [];
	const full = numbers.find((number) => number > 31);
	if (named > 0 && full) return dated(full, named, numbers.find((number) => number <= 31) ?? 0);
	const [first = 0, second = 0, third = 0] = numbers;
	if (numbers.length !== 3) return undefined;
	const long = third < 100 ? 2000 + third : third;
	if (first > 12 || text.includes('.')) return dated(long, second, first);
	return dated(long, first, second);
}

function ofType(candidate: Candidate, type: TypeName, schema: JsonObject): readonly Json[] {
	if (type === 'null' || type === 'object' || type === 'array') return [];
	if (type === 'boolean') return truth(candidate);
	if (type === 'string') return typeof candidate === 'string' ? texts(candidate, schema) : [String(candidate)];
	if (typeof candidate === 'boolean') return [];
	const numbers = typeof candidate === 'number' ? [candidate] : numbersIn(candidate);
	return type === 'integer' ? numbers.filter(Number.isInteger) : numbers;
}

function numbersIn(text: string): readonly number[] {
	const amounts = findAll(text, 'amount').map((find) => find.text);
	return [...amounts, ...figuresOf(text).map((find) => find.text), text].flatMap((one) => numberOf(one) ?? []);
}

function truth(candidate: Candidate): readonly boolean[] {
	if (typeof candidate !== 'string') return typeof candidate === 'boolean' ? [candidate] : [];
	if (yes.test(candidate.trim())) return [true];
	return no.test(candidate.trim()) ? [false] : [];
}

function texts(text: string, { format, pattern, maxLength }: JsonObject): readonly string[] {
	switch (format) {
		case 'date':
			return dates(text);
		case 'date-time':
			return dates(text).map((date) => `${date}T00:00:00Z`);
		case 'email':
			return findAll(text, 'email').map((find) => find.text);
		case 'uri':
		case 'url':
			return findAll(text, 'link').map((find) => (find.text.startsWith('www') ? `https://${find.text}` : find.text));
	}
	const trimmed = text.trim();
	const parts = typeof pattern === 'string' ? trimmed.split(/[\s,;()]+/).slice(0, 60) : [];
	const cut = typeof maxLength === 'number' && trimmed.length > maxLength ? [atWord(trimmed, maxLength)] : [];
	return [trimmed, ...parts, ...cut];
}

function dates(text: string): readonly string[] {
	return findAll(text, 'date').flatMap((find) => isoDate(find.text) ?? []);
}

function atWord(text: string, length: number): string {
	const cut = text.slice(0, length);
	return /\s/.test(cut) ? cut.slice(0, cut.lastIndexOf(' ')) || cut : cut;
}

function dated(year: number, month: number, day: number): string | undefined {
	const date = new Date(Date.UTC(year, month - 1, day));
	const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && day > 0;
	return isReal ? date.toISOString().slice(0, 10) : undefined;
}
