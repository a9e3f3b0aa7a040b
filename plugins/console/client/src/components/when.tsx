import { instantText } from '../format.ts';

/** A date and time; `none` when `at` (Unix seconds) is absent. */
export function When({ at, none = '–' }: { readonly at: number | null | undefined; readonly none?: string }) {
	if (at === null || at === undefined) return <span>{none}</span>;
	return <time dateTime={new Date(at * 1000).toISOString()}>{instantText(at)}</time>;
}
