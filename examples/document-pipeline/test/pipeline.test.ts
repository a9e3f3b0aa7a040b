import { documentReader } from '@plinth/documents';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportPdf } from '../../../cli/src/demo/report-pdf.ts';
import { keyA, type Served, serveEmbedded } from '../../../test/support/serve.ts';
import { analyse, extract, memoOf, unproven, verify } from '../pipeline.ts';

const model = 'builtin-chat';
const dataUrl = (bytes: Uint8Array | string) =>
	`data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}`;
const sources = [
	{ filename: 'report.pdf', url: dataUrl(reportPdf()) },
	{
		filename: 'minutes.txt',
		url: dataUrl('The council will pay for the second well. It costs 40,000 EUR.'),
	},
];
const questions = ['Why was one gauge moved?', 'Who will pay for the second well?'];

let served: Served;
let client: OpenAI;

beforeAll(async () => {
	served = await serveEmbedded({ backends: { documents: documentReader({ workers: 1 }) } });
	client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: keyA });
});

afterAll(() => served?.stop());

describe('the pipeline', () => {
	test('returns a memo whose findings have quotes with their places', async () => {
		const memo = await memoOf(client, model, sources, questions);
		expect(memo).toMatch(/^# Memo\n/);
		expect(memo).toMatch(/Why was one gauge moved\?[\s\S]*trees had grown over[\s\S]*\(report\.pdf, page 1\)/);
		expect(memo).toMatch(/Who will pay[\s\S]*The council will pay[\s\S]*\(minutes\.txt\)/);
		expect(memo).toMatch(/## Open\n\nNothing\./);
	});

	test('checks each quote on the page that it names', async () => {
		const [extracts, findings] = [await extract(client, sources), await analyse(client, model, sources, questions)];
		expect(findings[0]?.quotes.length).toBeGreaterThan(0);
		expect(findings[1]?.quotes).toMatchObject([{ filename: 'minutes.txt', page: 1 }]);
		expect(unproven(findings, extracts)).toEqual([]);
		const [first] = findings;
		const made = { text: 'made up', filename: 'report.pdf', page: 1 };
		const wrong = [{ question: '', answer: '', ...first, quotes: [made] }];
		expect(unproven(wrong, extracts)).toEqual(['report.pdf, page 1: “made up”']);
	});

	test('reports pages without text, and documents that cannot be read', async () => {
		const pages = [
			{ page: 1, text: 'a' },
			{ page: 2, text: ' ' },
		];
		expect(verify([{ filename: 'a.pdf', pages }])).toEqual(['a.pdf: no text on page 2.']);
		const broken = [{ filename: 'b.zip', url: dataUrl('PK\x03\x04 broken') }];
		await expect(extract(client, broken)).rejects.toThrow(/^b\.zip: /);
	});
});
