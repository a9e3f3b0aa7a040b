import { z } from 'zod';

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
