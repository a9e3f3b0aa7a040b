import type { DocumentText, PageRange } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { maxCharacters } from '../src/formats/budget.ts';
import { type PartRun, readInParts } from '../src/pool/parts.ts';

const rest: readonly PageRange[] = [{ first: 3, last: 4 }];

function text(first: number, second: number, each = 'text'): DocumentText {
	const pages = [first, second].map((page) => ({ page, text: each }));
	return { mediaType: 'application/pdf', pages, pageCount: 4, truncated: false, metadata: {} };
}

/** A read whose first part leaves the rest to a second part. The test resolves both. */
function twoReads() {
	const [first, second] = [Promise.withResolvers<DocumentText>(), Promise.withResolvers<DocumentText>()];
	const runs: PartRun[] = [];
	const read = async (run: PartRun) => {
		runs.push(run);
		run.signal?.addEventListener('abort', () => {
			(run.pages ? second : first).reject(run.signal?.reason);
		});
		if (run.pages) return await second.promise;
		run.leave(rest);
		return await first.promise;
	};
	return { read, runs, first, second };
}

describe('a document that is read in parts', () => {
	it('is returned completely and in order, whichever part ends first', async () => {
		const { read, first, second, runs } = twoReads();
		const reading = readInParts(read, {});
		second.resolve(text(3, 4));
		first.resolve(text(1, 2));
		const { pages, pageCount, truncated } = await reading;
		expect(pages?.map(({ page }) => page)).toEqual([1, 2, 3, 4]);
		expect([pageCount, truncated]).toEqual([4, false]);
		expect(runs.map(({ pages }) => pages)).toEqual([undefined, rest]);
	});

	it('is one read when no part is left', async () => {
		const whole = text(1, 2);
		expect(await readInParts(async () => whole, {})).toBe(whole);
	});

	it('is not read a third time when a restarted process leaves the rest again', async () => {
		const { read, runs, first, second } = twoReads();
		const reading = readInParts(read, {});
		runs[0]?.leave(rest);
		first.resolve(text(1, 2));
		second.resolve(text(3, 4));
		expect((await reading).pages).toHaveLength(4);
		expect(runs).toHaveLength(2);
	});

	it('is truncated at the same limit as a single read', async () => {
		const { read, first, second } = twoReads();
		const half = 'x'.repeat(maxCharacters / 2 - 1);
		first.resolve(text(1, 2, half));
		second.resolve(text(3, 4, 'more'));
		const { pages, truncated } = await readInParts(read, {});
		expect(pages?.map(({ text }) => text.length)).toEqual([half.length, half.length, 2, 0]);
		expect(truncated).toBe(true);
	});

	it('reports the progress of the whole document', async () => {
		const { read, runs, first, second } = twoReads();
		const reported: unknown[] = [];
		const reading = readInParts(read, { progress: (...call) => reported.push(call) });
		runs[0]?.progress?.(1, 2);
		runs[1]?.progress?.(2, 2);
		runs[0]?.progress?.(2, 2);
		first.resolve(text(1, 2));
		second.resolve(text(3, 4));
		await reading;
		expect(reported).toEqual([
			[1, 4],
			[3, 4],
			[4, 4],
		]);
	});

	it.each(['first', 'second'] as const)('fails once when the %s part fails, and aborts the other', async (part) => {
		const reads = twoReads();
		const reading = readInParts(reads.read, {});
		const reason = new Error('This part is damaged.');
		reads[part].reject(reason);
		await expect(reading).rejects.toBe(reason);
		expect(reads.runs.map(({ signal }) => signal?.reason)).toEqual([reason, reason]);
	});

	it('aborts both parts on an abort', async () => {
		const { read, runs } = twoReads();
		const [controller, reason] = [new AbortController(), new Error('The client disconnected.')];
		const reading = readInParts(read, { signal: controller.signal });
		controller.abort(reason);
		await expect(reading).rejects.toBe(reason);
		expect(runs.map(({ signal }) => signal?.reason)).toEqual([reason, reason]);
	});
});
