import type { PageRange } from '@plinth/toolkit';
import { mergedRanges } from '@plinth/toolkit';
import { z } from 'zod';

/** Most ranges of one request. */
export const maxRanges = 200;
/** Most characters of the text that names them. */
export const maxPagesLength = 3_000;

const pattern =
	'^ *[1-9]\\d{0,5}( *- *[1-9]\\d{0,5})?( *, *[1-9]\\d{0,5}( *- *[1-9]\\d{0,5})?)* *$';

/** Reads `1-5,8` into ranges in ascending order; those that touch or overlap become one. Refuses everything else with 400. */
export const pageRanges = z
	.string()
	.max(maxPagesLength)
	.meta({ pattern, examples: ['1-5,8'] })
	.transform((text, ctx): readonly PageRange[] => {
		const refuse = (message: string) => {
			ctx.addIssue({ code: 'custom', message });
			return z.NEVER;
		};
		if (!new RegExp(pattern).test(text)) {
			return refuse('expected page numbers from 1 and ranges of them, such as 1-5,8');
		}
		const ranges = text.split(',').map(rangeOf);
		if (ranges.length > maxRanges) return refuse(`at most ${maxRanges} ranges are taken`);
		const backward = ranges.find(({ first, last }) => first > last);
		if (backward) return refuse(`${backward.first}-${backward.last} ends before it begins`);
		return mergedRanges(ranges);
	});

function rangeOf(text: string): PageRange {
	const [first, last = first] = text.split('-').map(Number);
	return { first: first ?? 0, last: last ?? 0 };
}
