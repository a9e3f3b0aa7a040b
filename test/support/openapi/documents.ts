import type { Facts } from './facts.ts';

const parse = 'POST /api/attachments/parse';

/** Facts of the parse operation, which the OpenAPI document does not state. */
export const documentFacts = {
	bodyRules: { [parse]: ({ pages }) => typeof pages !== 'string' || isForward(pages) },
	textualScalars: [parse],
	// An unreadable file is accepted. Its own result has the error.
	anyFile: [parse],
} satisfies Partial<Facts>;

/** A range ends at or after its start. */
function isForward(pages: string): boolean {
	const ranges = pages.split(',').map((range) => range.split('-').map(Number));
	return ranges.length <= 200 && ranges.every(([first = 0, last = first]) => first <= last);
}
