import type { Json } from '@plinth/core';
import { isObject } from '../json/schema.ts';
import type { Source } from '../library/portions.ts';
import type { Answer } from '../quotes.ts';
import type { ToolResult } from '../talk.ts';

const longest = 4_000;

/** Tells in words what tools have answered. */
export function tellResults(results: readonly ToolResult[]): Answer {
	const told = results.map(({ name, text }) => ({ name, words: shortened(inWords(text)) }));
	const text = told.map(({ name, words }) => `${name} answered: ${words}`).join('\n');
	return {
		text,
		brief: told.map(({ words }) => words).join('; '),
		quotes: results.map(({ name, text }) => ({ file: name, text })),
	};
}

/** The results as documents, so that fields of a schema can be filled from them. */
export function resultSources(results: readonly ToolResult[]): readonly Source[] {
	return results.map(({ name, text }) => ({
		filename: name,
		pages: [{ page: 1, text: asLines(text) }],
		hasPages: false,
		pageCount: 1,
	}));
}

function inWords(text: string): string {
	const value = parsed(text);
	if (value === undefined) return text.trim() === '' ? 'nothing.' : text.trim();
	return `${said(value)}.`;
}

function said(value: Json): string {
	if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map(said).join(', ');
	if (!isObject(value)) return String(value);
	const entries = Object.entries(value);
	return entries.length === 0
		? 'nothing'
		: entries.map(([name, one]) => `${name} ${isObject(one) ? `(${said(one)})` : said(one)}`).join(', ');
}

function asLines(text: string): string {
	const value = parsed(text);
	return isObject(value) ? lines(value, '').join('\n\n') : text;
}

function lines(value: { readonly [name: string]: Json }, before: string): readonly string[] {
	return Object.entries(value).flatMap(([name, one]) =>
		isObject(one) ? lines(one, `${before}${name} `) : [`${before}${name}: ${said(one)}`],
	);
}

function parsed(text: string): Json | undefined {
	try {
		const value: Json = JSON.parse(text);
		return typeof value === 'object' && value !== null ? value : undefined;
	} catch {
		return undefined;
	}
}

function shortened(text: string): string {
	return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
