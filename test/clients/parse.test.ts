import { documentReader } from '@plinth/documents';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportPdf } from '../../cli/src/demo/report-pdf.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

interface Result {
	readonly filename: string;
	readonly media_type: string;
	readonly page_count: number;
	readonly content: { readonly pages: readonly { readonly page: number; readonly text: string }[] };
	readonly error?: { readonly code: string };
}

let served: Served;

beforeAll(async () => {
	served = await serveEmbedded({ backends: { documents: documentReader({ workers: 1 }) } });
});

afterAll(() => served?.stop());

/** Plain HTTP with `fetch`. */
async function parse(body: FormData | object): Promise<readonly Result[]> {
	const isForm = body instanceof FormData;
	const response = await fetch(`${served.url}/api/attachments/parse`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${keyA}`,
			...(isForm ? {} : { 'content-type': 'application/json' }),
		},
		body: isForm ? body : JSON.stringify(body),
	});
	expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
	return ((await response.json()) as { results: readonly Result[] }).results;
}

test('a client without a library gets the pages of a document, as JSON and as a form', async () => {
	const pdf = reportPdf();
	const url = `data:application/pdf;base64,${Buffer.from(pdf).toString('base64')}`;
	const table = 'data:text/csv;base64,YSxiCjEsMgo=';
	const [document, sheet, nothing] = await parse({
		files: [
			{ url, filename: 'report.pdf', media_type: 'application/pdf' },
			{ url: table, filename: 'table.csv', media_type: 'text/csv' },
			{ url: url.slice(0, -1_000), filename: 'cut.bin', media_type: 'image/png' },
		],
	});
	expect(document).toMatchObject({ media_type: 'application/pdf', page_count: 1 });
	expect(document?.content.pages[0]?.text).toMatch(/corrected\.\s+In the south[\s\S]+^Southport/m);
	expect(sheet).toMatchObject({ filename: 'table.csv' });
	expect(sheet?.error).toBe(undefined);
	// A truncated file: it is read as far as possible, or only this document fails.
	expect(nothing?.content.pages ?? nothing?.error?.code).toBeDefined();
	const form = new FormData();
	form.set('file', new Blob([pdf]), 'again.pdf');
	form.set('pages', '1');
	const [again] = await parse(form);
	expect(again).toEqual({ ...document, filename: 'again.pdf' });
});
