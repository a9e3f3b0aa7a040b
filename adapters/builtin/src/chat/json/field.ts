import type { JsonObject } from '@plinth/core';
import { contentTerms, stem, wordsOf } from '../text/words.ts';

/** A place in a schema that is to be filled. */
export interface Field {
	/** Names from the outermost to its own. */
	readonly path: readonly string[];
	/** Its own name. */
	readonly name: string;
	/** Resolved. */
	readonly schema: JsonObject;
}

/** Where values come from: documents, or the words of a message. */
export interface Finder {
	/** Texts and values that may belong to a field, best first. */
	values(field: Field): Promise<readonly Candidate[]>;
	/** Texts that belong into a list. */
	list(field: Field): Promise<readonly Candidate[]>;
	/** Rows of a table that has columns of these names. */
	rows(names: readonly string[], field: Field): Promise<readonly ReadonlyMap<string, string>[]>;
}

/** A value, or a text out of which one is read. */
export type Candidate = string | number | boolean;

/** The stems of a field's name: `invoiceNumber` and `invoice_number` are the same two. */
export function nameTerms(name: string): readonly string[] {
	return wordsOf(spaced(name)).map(stem);
}

/** The words of a name: `invoice number`. */
export function spaced(name: string): string {
	return name
		.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
		.replace(/[_.-]+/g, ' ')
		.trim();
}

/** What a field is about: the stems of its name, title and description. */
export function fieldTerms({ name, schema }: Field): readonly string[] {
	return contentTerms(fieldWords({ name, schema }));
}

/** What a field is about, in words. */
export function fieldWords({ name, schema }: Pick<Field, 'name' | 'schema'>): string {
	return [spaced(name), schema.title, schema.description].filter((text) => typeof text === 'string').join(' ');
}
