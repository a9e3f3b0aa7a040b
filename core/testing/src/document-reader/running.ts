import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import { smallPdf } from './small-pdf.ts';
import { allText, type ReaderCase } from './subject.ts';

const pdfOf = (name: string, pages = 1) =>
	smallPdf({ pages: Array.from({ length: pages }, (_, at) => [`${name}, page ${at + 1}`]) });

/** How reads are aborted and followed, and many of them at once. */
export function runningCases(it: ReaderCase): ConformanceCase[] {
	return [
		it('a read rejects with the reason of a signal that has aborted', async ({ reader }) => {
			const reason = new Error('The client left.');
			const signal = AbortSignal.abort(reason);
			await assert.rejects(reader.read(pdfOf('A'), {}, { signal }), (error) => error === reason);
		}),
		it('reads that are aborted reject with the reason, and the others go on', async ({ reader }) => {
			const reason = new Error('The client left.');
			const leaving = new AbortController();
			const names = ['A', 'B', 'C', 'D', 'E', 'F'];
			const reads = names.map((name, at) =>
				reader.read(pdfOf(name, 40), {}, at % 2 === 0 ? { signal: leaving.signal } : {}),
			);
			const ends = Promise.allSettled(reads);
			leaving.abort(reason);
			for (const [at, end] of (await ends).entries()) {
				if (at % 2 === 0) assert.equal(end.status === 'rejected' && end.reason, reason);
				else assert.equal(end.status === 'fulfilled' && end.value.pageCount, 40);
			}
		}),
		it('many reads at once get their own texts', async ({ reader }) => {
			const names = Array.from({ length: 12 }, (_, at) => `Document ${at + 1}`);
			const texts = await Promise.all(names.map((name) => reader.read(pdfOf(name))));
			assert.deepEqual(
				texts.map(allText),
				names.map((name) => `${name}, page 1`),
			);
		}),
		it('the same document gives the same text again, and the version stays', async ({ reader }) => {
			const { version } = reader;
			assert.ok(version.length > 0);
			const first = await reader.read(pdfOf('A', 3));
			assert.deepEqual(await reader.read(pdfOf('A', 3)), first);
			assert.equal(reader.version, version);
		}),
		it('progress never falls and never passes its end', async ({ reader }) => {
			const reported: (readonly [number, number])[] = [];
			const progress = (done: number, of: number) => void reported.push([done, of]);
			await reader.read(pdfOf('A', 30), {}, { progress });
			for (const [at, [done, of]] of reported.entries()) {
				assert.ok(done >= 0 && done <= of, `${done} of ${of}`);
				assert.ok(done >= (reported[at - 1]?.[0] ?? 0), `${done} after ${reported[at - 1]?.[0]}`);
			}
		}),
	];
}
