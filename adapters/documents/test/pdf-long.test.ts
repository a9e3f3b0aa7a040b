import type { PageRange } from '@plinth/toolkit';
import { expect, onTestFinished, test } from 'vitest';
import { PooledReader } from '../src/pool/reader.ts';
import { readDocument } from '../src/read.ts';
import { show, tinyPdf } from './tiny-pdf.ts';

const pages = Array.from({ length: 7 }, (_, at) =>
	show([`Page ${at + 1} isn\x92t like the others`, 72, 700], ['1', 72, 680], ['2', 300, 680]),
);
const whole = tinyPdf({ pages });

const optionsFor = (pages: readonly PageRange[] | undefined) => (pages ? { pages } : {});

/** Reads a document in two parts, as two processes do. */
async function inHalves(bytes: Uint8Array, asked?: readonly PageRange[]) {
	let left: readonly PageRange[] = [];
	const leave = (pages: readonly PageRange[]) => {
		left = pages;
	};
	const first = await readDocument(bytes, optionsFor(asked), { share: { above: 2, leave } });
	const second = await readDocument(bytes, { pages: left });
	return { first, second, left };
}

test.each([
	['without encryption', whole, undefined, [{ first: 5, last: 7 }]],
	['with encryption', tinyPdf({ pages, user: '', owner: 'owner' }), undefined, [{ first: 5, last: 7 }]],
	[
		'in part',
		whole,
		[
			{ first: 1, last: 2 },
			{ first: 4, last: 7 },
		],
		[{ first: 5, last: 7 }],
	],
])('the halves of a file %s equal a single read', async (_, bytes, asked, rest) => {
	const { first, second, left } = await inHalves(bytes, asked);
	expect(left).toEqual(rest);
	const one = await readDocument(bytes, optionsFor(asked));
	expect({ ...first, pages: [...(first.pages ?? []), ...(second.pages ?? [])] }).toEqual(one);
	expect(one.pages?.at(-1)?.text).toMatch(/^Page 7 isn’t like the others\n1 +2$/);
});

test('a short document is not shared', async () => {
	const leave = () => expect.unreachable();
	expect((await readDocument(whole, {}, { share: { above: 7, leave } })).pages).toHaveLength(7);
});

test('two processes read a long document', async () => {
	const reader = new PooledReader({ workers: 2, limits: { alonePages: 3, waitMs: 0 } });
	onTestFinished(() => reader.pool.close());
	const { pages } = await reader.read(whole, {}, {});
	expect(reader.pool.pids).toHaveLength(2);
	expect(pages).toEqual((await readDocument(whole)).pages);
}, 20_000);
