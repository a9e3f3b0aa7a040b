/** A page of a list, as the API returns it. */
export interface Page<T> {
	readonly data: readonly T[];
	readonly has_more: boolean;
}

/** The loaded part of a list. */
export interface List<T> {
	readonly items: readonly T[];
	readonly hasMore: boolean;
}

/** Updates a list with a newer first page. Items after that page stay, unless its last item is new. */
export function withFirstPage<T extends { readonly id: string }>(
	items: readonly T[],
	hasMore: boolean,
	page: Page<T>,
): List<T> {
	const last = page.data.at(-1)?.id;
	const index = items.findIndex(({ id }) => id === last);
	const rest = page.has_more && index >= 0 ? items.slice(index + 1) : [];
	if (rest.length === 0) return { items: page.data, hasMore: page.has_more };
	return { items: [...page.data, ...rest], hasMore };
}
