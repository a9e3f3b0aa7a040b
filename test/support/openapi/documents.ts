import type { Facts } from './facts.ts';

const parse = 'POST /api/attachments/parse';

/** What no document says about the parsing of attachments: facts by operation. */
export const documentFacts = {
	whole: { [parse]: ({ pages }) => typeof pages !== 'string' || isForward(pages) },
	spelled: [parse],
	// What cannot be read has an error in its own result.
	anyFile: [parse],
} satisfies Partial<Facts>;

/** Ranges end where they begin, or behind that. */
function isForward(pages: string): boolean {
	const ranges = pages.split(',').map((range) => range.split('-').map(Number));
	return ranges.length <= 200 && ranges.every(([first = 0, last = first]) => first <= last);
}
