import type { Page } from '../text/page-headers.ts';
import { fold } from '../text/words.ts';
import { Slices } from './slices.ts';

/** A document as it is searched: pages of text under a name. */
export interface Source {
	readonly filename: string;
	readonly pages: readonly Page[];
	/** False: citations name no page. */
	readonly hasPages: boolean;
	readonly pageCount: number;
}

/** A piece of a page that is small enough to be read at once. */
export interface Portion extends Page {
	/** Index of the document. */
	readonly document: number;
}

const longest = 8_000;
/** What is chosen out of documents that are too long to be indexed whole. */
const chosen = 60;

/** The pages of all documents in order; long ones in pieces that end with a line. */
export function* portionsOf(sources: readonly Source[]): Generator<Portion> {
	for (const [document, { pages }] of sources.entries())
		for (const { page, text } of pages)
			for (let at = 0; at < text.length; ) {
				const end = endOf(text, at);
				yield { document, page, text: text.slice(at, end) };
				at = end;
			}
}

/** The pieces in which most of the terms stand, rare ones first, in their order; the first pieces when nothing matches. */
export async function choosePortions(
	sources: readonly Source[],
	terms: readonly string[],
	signal: AbortSignal,
): Promise<readonly Portion[]> {
	const wanted = terms.slice(0, 24);
	const found = await lookThrough(sources, wanted, signal);
	const frequency = wanted.map((_, at) => found.filter(({ hits }) => hits.includes(at)).length);
	const rated = found.map(({ portion, hits }, order) => ({
		portion,
		order,
		score: hits.reduce((sum, at) => sum + Math.log(1 + found.length / (frequency[at] || 1)), 0),
	}));
	const best = rated.sort((a, b) => b.score - a.score || a.order - b.order).slice(0, chosen);
	return best.sort((a, b) => a.order - b.order).map(({ portion }) => portion);
}

async function lookThrough(
	sources: readonly Source[],
	terms: readonly string[],
	signal: AbortSignal,
): Promise<readonly { readonly portion: Portion; readonly hits: readonly number[] }[]> {
	const slices = new Slices(signal);
	const found = [];
	for (const portion of portionsOf(sources)) {
		if (slices.isOver) await slices.pause();
		const text = fold(portion.text);
		const hits = [...terms.keys()].filter((at) => text.includes(terms[at] ?? ''));
		found.push({ portion, hits });
	}
	return found;
}

function endOf(text: string, from: number): number {
	const limit = from + longest;
	if (limit >= text.length) return text.length;
	// Looked for in its second half only: in a text without such a mark the search would go back to the beginning each time.
	const nearest = from + longest / 2;
	const half = text.slice(nearest, limit);
	for (const mark of ['\n\n', '\n', '. ', ' ']) {
		const at = half.lastIndexOf(mark);
		if (at > 0) return nearest + at + mark.length;
	}
	return limit;
}
