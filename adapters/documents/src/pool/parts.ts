import type { DocumentRun, DocumentText, PageRange } from '@plinth/toolkit';
import { maxCharacters } from '../formats/budget.ts';
import { cutPages } from '../tidy.ts';

/** The options of one of the two reads of a document. */
export interface PartRun extends DocumentRun {
	/** Absent in the first read, which reads all requested pages except those it leaves. */
	readonly pages?: readonly PageRange[];
	/** Leaves pages to the second read. */
	leave(pages: readonly PageRange[]): void;
}

/**
 * Reads a document. As soon as another process is free, it reads at the same time the pages that the first read leaves.
 * A failure of one read aborts the other.
 */
export async function readInParts(
	read: (run: PartRun) => Promise<DocumentText>,
	run: DocumentRun,
): Promise<DocumentText> {
	const failure = new AbortController();
	const signal = AbortSignal.any([failure.signal, ...(run.signal ? [run.signal] : [])]);
	const counts = { first: { done: 0, of: 0 }, second: { done: 0, of: 0 } };
	const progressOf = (part: 'first' | 'second') => (done: number, of: number) => {
		counts[part] = { done, of };
		run.progress?.(counts.first.done + counts.second.done, counts.first.of + counts.second.of);
	};
	let second: Promise<DocumentText> | undefined;
	const leave = (pages: readonly PageRange[]) => {
		// A process that reads the document again after a crash leaves the pages again.
		if (second) return;
		counts.second.of = pages.reduce((sum, { first, last }) => sum + last - first + 1, 0);
		second = read({ pages, signal, progress: progressOf('second'), leave });
		second.catch((error) => failure.abort(error));
	};
	try {
		const first = await read({ signal, progress: progressOf('first'), leave });
		return second ? joined(first, await second) : first;
	} catch (error) {
		failure.abort(error);
		throw error;
	}
}

/** Equals the text of a single read. */
function joined(first: DocumentText, second: DocumentText): DocumentText {
	const { pages, truncated } = cutPages([...(first.pages ?? []), ...(second.pages ?? [])], maxCharacters);
	return { ...first, pages, truncated: truncated || first.truncated || second.truncated };
}
