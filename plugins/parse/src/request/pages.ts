import type { PageRange } from '@plinth/toolkit';
import { mergedRanges } from '@plinth/toolkit';
import { z } from 'zod';

/** Maximum number of ranges in one request. */
export const maxRanges = 200;
/** Maximum length of the text. */
export const maxPagesLength = 3_000;

const pattern = '^ *[1-9]\\d{0,5}( *- *[1-9]\\d{0,5})?( *, *[1-9]\\d{0,5}( *- *[1-9]\\d{0,5})?)* *$';

/** Parses `1-5,8` into ascending ranges; adjacent and overlapping ones are merged. Everything else is a 400 error. */
export const pageRanges = z
	.string()
	.max(maxPagesLength)
	.meta({ pattern, examples: ['1-5,8'] })
	.transform((text, ctx): readonly PageRange[] => {
		const reject = (message: string) => {
			ctx.addIssue({ code: 'custom', message });
			return z.NEVER;
		};
		if (!new RegExp(pattern).test(text)) {
			return reject('expected page numbers from 1 and ranges of them, such as 1-5,8');
		}
		const ranges = text.split(',').map(rangeOf);
		if (ranges.length > maxRanges) return reject(`at most ${maxRanges} ranges are accepted`);
		const backward = ranges.find(({ first, last }) => first > last);
		if (backward) return reject(`${backward.first}-${backward.last} ends before it begins`);
		return mergedRanges(ranges);
	});

function rangeOf(text: string): PageRange {
	const [first, last = first] = text.split('-').map(Number);
	return { first: first ?? 0, last: last ?? 0 };
}
