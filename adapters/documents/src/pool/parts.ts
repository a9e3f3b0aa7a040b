import type { DocumentRun, DocumentText, PageRange } from '@plinth/toolkit';
import { maxCharacters } from '../formats/budget.ts';
import { countOf } from '../pdf/ranges.ts';
import { cutPages } from '../tidy.ts';

/** Reads a part of a document, and calls `leave` when pages are left to another read. Rejects as soon as the signal aborts. */
export type ReadPart = (run: PartRun) => Promise<DocumentText>;

/** The surroundings of one part. */
export interface PartRun extends DocumentRun {
	/** Absent in the first part: all pages but those that it leaves. */
	readonly pages?: readonly PageRange[];
	leave(pages: readonly PageRange[]): void;
}

/**
 * Reads a document, and what the read leaves at the same time, if a process is free, or after whatever waits already. What ends one part ends
 * the other one.
 */
export async function readInParts(read: ReadPart, run: DocumentRun): Promise<DocumentText> {
	const ending = new AbortController();
	const signal = AbortSignal.any([ending.signal, ...(run.signal ? [run.signal] : [])]);
	const progress = new Progress(run.progress);
	let second: Promise<DocumentText> | undefined;
	const leave = (pages: readonly PageRange[]) => {
		// Told once more by a process that starts over after a crash.
		if (second) return;
		const rest = { pages, signal, progress: progress.part(countOf(pages)), leave() {} };
		second = read(rest);
		second.catch((error) => ending.abort(error));
	};
	try {
		const first = await read({ signal, progress: progress.part(0), leave });
		return second ? joined(first, await second) : first;
	} catch (error) {
		ending.abort(error);
		throw error;
	}
}

/** As one read gives it. */
function joined(first: DocumentText, second: DocumentText): DocumentText {
	const all = [...(first.pages ?? []), ...(second.pages ?? [])];
	const { pages, truncated } = cutPages(all, maxCharacters);
	return { ...first, pages, truncated: truncated || first.truncated || second.truncated };
}

/** Adds up what the parts tell. */
class Progress {
	readonly #told: DocumentRun['progress'];
	readonly #parts: { done: number; of: number }[] = [];

	constructor(told: DocumentRun['progress']) {
		this.#told = told;
	}

	/** Takes what a part of so many pages tells. */
	part(of: number): (done: number, of: number) => void {
		const part = { done: 0, of };
		this.#parts.push(part);
		return (done, of) => {
			Object.assign(part, { done, of });
			const sum = (count: 'done' | 'of') => this.#parts.reduce((all, one) => all + one[count], 0);
			this.#told?.(sum('done'), sum('of'));
		};
	}
}
