import assert from 'node:assert/strict';
import { abortEveryOther, assertAborts } from '../aborts.ts';
import type { ConformanceCase } from '../conformance.ts';
import { smallPdf } from './small-pdf.ts';
import { allText, type ReaderCase } from './subject.ts';

const pdfOf = (name: string, pages = 1) =>
	smallPdf({ pages: Array.from({ length: pages }, (_, at) => [`${name}, page ${at + 1}`]) });

/** Cases on aborts, progress, and concurrent reads. */
export function runningCases(it: ReaderCase): ConformanceCase[] {
	return [
		it('a read rejects with the reason of a signal that has aborted', async ({ reader }) => {
			await assertAborts((signal) => reader.read(pdfOf('A'), {}, { signal }));
		}),
		it('reads that are aborted reject with the reason, and the others continue', async ({ reader }) => {
			const documents = await abortEveryOther(6, (n, signal) =>
				reader.read(pdfOf(`Document ${n}`, 40), {}, signal ? { signal } : {}),
			);
			for (const { pageCount } of documents) assert.equal(pageCount, 40);
		}),
		it('many reads at once get their own texts', async ({ reader }) => {
			const names = Array.from({ length: 12 }, (_, at) => `Document ${at + 1}`);
			const texts = await Promise.all(names.map((name) => reader.read(pdfOf(name))));
			const expected = names.map((name) => `${name}, page 1`);
			assert.deepEqual(texts.map(allText), expected);
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
