import { errors } from '@plinth/core';
import { z } from 'zod';
import { formInteger } from './form.ts';

/**
 * One page of a list in OpenAI's form: clients continue with `after` set to `last_id` while `has_more`.
 * Both ids are null on an empty page.
 */
export function listPage<T extends { readonly id: string }>(data: readonly T[], hasMore: boolean) {
	return {
		object: 'list' as const,
		data,
		first_id: data.at(0)?.id ?? null,
		last_id: data.at(-1)?.id ?? null,
		has_more: hasMore,
	};
}

/** The schema of a {@link listPage}; `name` is its name in OpenAPI. */
export function listPageSchema<T extends z.ZodType>(item: T, id: z.ZodString, name: string) {
	return z
		.object({
			object: z.literal('list'),
			data: z.array(item),
			first_id: id.nullable(),
			last_id: id.nullable(),
			has_more: z.boolean(),
		})
		.meta({ id: name });
}

/** The form of an id, for OpenAPI and for validation. */
export interface IdForm {
	readonly pattern: string;
	readonly examples: string[];
}

/** An optional id in a query. An empty text counts as absent, because SDKs send `null` as an empty text. */
export function idField(noun: string, form: IdForm, description: string) {
	const pattern = `^$|${form.pattern}`;
	const regExp = new RegExp(pattern);
	return z
		.string()
		.refine((id) => regExp.test(id), { error: `must be the id of ${noun}` })
		.transform((id) => id || undefined)
		.optional()
		.meta({ description, ...form, pattern });
}

/** Bounds and text of the field `limit`. */
export interface PageOptions {
	readonly min: number;
	readonly max: number;
	readonly fallback: number;
	readonly description: string;
}

/** The fields `after` and `limit` of a list's query. `after` is a position and need not exist. */
export function pageFields(noun: string, form: IdForm, options: PageOptions) {
	const { min, max, fallback, description } = options;
	return {
		after: idField(noun, form, 'The list starts after this id, which need not exist any more.'),
		limit: formInteger({ min, max })
			.default(fallback)
			.meta({ description, override: { default: fallback } }),
	};
}

/** The errors of a list route. */
export const listErrors = [
	errors.E_VALUE_INVALID,
	errors.E_VALUE_TYPE,
	errors.E_INTEGER_TOO_LARGE,
	errors.E_INTEGER_TOO_SMALL,
	errors.E_STORE_UNAVAILABLE,
] as const;
