import type { Json } from '@plinth/core';
import { type Candidate, type Field, type Finder, nameTerms, spaced } from '../json/field.ts';
import { isObject, typesOf } from '../json/schema.ts';
import { figuresOf, findAll } from '../text/finds.ts';
import { literally } from '../text/literally.ts';
import { fold, stem, wordsOf } from '../text/words.ts';

const units = /^(?:in|for|at|to|of|about|with|on|from|near|by|as|is|are)$/i;
const leading =
	/^(?:please|can you|could you|would you|now|then|and|use|call|run|invoke|execute|try|the|tool|function|to|it|for|with|me|tell|get|find|on|in|at|about|of|[\s,.:;()`"'])+/i;
const place =
	/\b(?:in|for|at|to|near|from|of|about|on|with|into)\s+((?:the\s+)?(?:\p{Lu}[\p{L}'’.-]*|\d[\p{L}\d:.-]*)(?:[\s,]+(?:(?:de|la|of|the|and)\s+)?\p{Lu}[\p{L}'’.-]*)*)/gu;

/** Finds the arguments of a tool in the words of a message; every text is used for one argument only. */
export function messageFinder(words: string): Finder {
	const used = new Set<string>();
	const given = jsonIn(words);
	const take = (candidates: readonly Candidate[]): readonly Candidate[] => {
		const fresh = candidates.filter((one) => typeof one === 'boolean' || !used.has(fold(String(one))));
		// The first is taken by whoever asks; the others are for when it does not fit.
		if (fresh[0] !== undefined) used.add(fold(String(fresh[0])));
		return fresh;
	};
	const values = (field: Field): readonly Candidate[] => {
		const own = given?.[field.name];
		if (typeof own === 'string' || typeof own === 'number' || typeof own === 'boolean') return [own];
		if (Array.isArray(field.schema.enum)) return members(field.schema.enum, words);
		return take([...explicit(field, words), ...guesses(field, words)]);
	};
	return {
		values: async (field) => values(field),
		list: async (field) => {
			const own = given?.[field.name];
			if (Array.isArray(own)) return own.filter((one) => typeof one === 'string' || typeof one === 'number');
			return take(listed(field, words, values));
		},
		rows: async () => [],
	};
}

/** `{"city": "Paris"}` in the message. */
function jsonIn(words: string): { readonly [name: string]: Json } | undefined {
	const text = /\{[\s\S]*\}/.exec(words)?.[0];
	if (!text) return undefined;
	try {
		const value: Json = JSON.parse(text);
		return isObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** `city: Paris`, `city=Paris`, `city is Paris`, `the city "Paris"`. */
function explicit({ name }: Field, words: string): readonly Candidate[] {
	const spelling = `(?:${literally(name)}|${literally(spaced(name)).replaceAll(' ', '[ _-]')})`;
	const pattern = new RegExp(
		`(?<![\\p{L}\\p{N}_])${spelling}["'\`]?\\s*(?:[:=]|\\bis\\b|\\bof\\b|\\bto\\b|\\bas\\b)?\\s*(?:"([^"]+)"|'([^']+)'|“([^”]+)”|(-?\\d[\\d.,]*\\d|-?\\d)|([^\\s,;)]+))`,
		'iu',
	);
	const found = pattern.exec(words);
	const value = found?.slice(1).find((one) => one !== undefined);
	return value && !units.test(value) ? [value] : [];
}

function guesses({ schema, name }: Field, words: string): readonly Candidate[] {
	const [type] = typesOf(schema);
	if (type === 'number' || type === 'integer') return numbersNear(name, words);
	if (type === 'boolean') return switches(name, words);
	const label = fold(`${spaced(name)} ${schema.format ?? ''}`);
	if (/\be-?mail\b/.test(label)) return findAll(words, 'email').map((find) => find.text);
	if (/\b(?:ur[il]|link|website)\b/.test(label)) return findAll(words, 'link').map((find) => find.text);
	if (/\bdate\b/.test(label)) return findAll(words, 'date').map((find) => find.text);
	if (/\btime\b/.test(label)) return findAll(words, 'time').map((find) => find.text);
	const isFree =
		/\b(?:query|q|text|prompt|message|question|input|content|keywords?|search|topic|terms?|expression|sql|body|subject|code|task|description)\b/.test(
			label,
		);
	const found = isFree ? [...restOf(words), ...placesIn(words)] : [...placesIn(words), ...restOf(words)];
	return [...inQuotes(words), ...found];
}

/** Numbers of the message, those beside the parameter's name first. */
function numbersNear(name: string, words: string): readonly Candidate[] {
	const terms = nameTerms(name);
	const figures = figuresOf(words);
	const isNear = (at: number, length: number) => {
		const around = wordsOf(words.slice(Math.max(0, at - 24), at + length + 16)).map(stem);
		return terms.some((term) =>
			around.some((word) => word.startsWith(term) || (word.length > 2 && term.startsWith(word))),
		);
	};
	const near = figures.filter(({ at, text }) => isNear(at, text.length));
	return [...near, ...figures].map(({ text }) => text);
}

/** True where a switch is named, false where it is denied. */
function switches(name: string, words: string): readonly Candidate[] {
	const spelling = literally(spaced(name)).replaceAll(' ', '[ _-]');
	if (new RegExp(`\\b(?:no|not|without|don'?t|disable)\\b[^.,;]{0,16}\\b${spelling}`, 'i').test(words)) return [false];
	return new RegExp(`\\b${spelling}\\b`, 'i').test(words) ? [true] : [];
}

function members(members: readonly Json[], words: string): readonly Candidate[] {
	const said = ` ${wordsOf(words).join(' ')} `;
	return members.filter((member): member is Candidate => {
		if (typeof member !== 'string' && typeof member !== 'number') return false;
		return said.includes(` ${wordsOf(spaced(String(member))).join(' ')} `);
	});
}

function inQuotes(words: string): readonly string[] {
	return [...words.matchAll(/"([^"]+)"|“([^”]+)”|(?<![\p{L}\d])'([^']+)'(?![\p{L}\d])/gu)].map(
		(match) => match[1] ?? match[2] ?? match[3] ?? '',
	);
}

function placesIn(words: string): readonly string[] {
	return [...words.matchAll(place)].map((match) => (match[1] ?? '').replace(/[.,]+$/, ''));
}

/** What is left of a message without the words that only ask. */
function restOf(words: string): readonly string[] {
	const rest = words
		.replace(leading, '')
		.replace(/[\s?.!()]+$/, '')
		.trim();
	return rest === '' ? [] : [rest];
}

function listed(field: Field, words: string, values: (field: Field) => readonly Candidate[]): readonly Candidate[] {
	if (Array.isArray(field.schema.enum)) return members(field.schema.enum, words);
	const [type] = typesOf(field.schema);
	if (type === 'number' || type === 'integer') return figuresOf(words).map((figure) => figure.text);
	const quotes = inQuotes(words);
	if (quotes.length > 0) return quotes;
	const [first] = values(field);
	return typeof first === 'string' ? first.split(/\s*(?:,|;|\band\b)\s*/).filter((part) => part !== '') : [];
}
