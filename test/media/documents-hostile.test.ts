import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { Semaphore } from '@plinth/toolkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { show, tinyPdf } from '../../adapters/documents/test/tiny-pdf.ts';
import { type Child, plinth } from '../support/cli.ts';
import { type RawClient, rawClient } from '../support/client.ts';
import { type HostileDocument, hostileDocuments } from '../support/hostile-documents/index.ts';
import { type Probe, percentile } from '../support/latency.ts';
import { startProbeThread } from '../support/latency-worker.ts';
import { inMegabytes, type MemoryGrowth, memoryGrowthDuring, residentOrZero } from '../support/process-tree.ts';

const megabyte = 1_048_576;
const path = '/api/attachments/parse';

interface Result {
	readonly truncated?: boolean;
	readonly content: {
		readonly text?: string;
		readonly pages?: readonly { readonly text: string }[];
	};
	readonly error?: { readonly code: string };
}

let cwd: string;
let temp: string;
let child: Child;
let client: RawClient;
let health: Probe;
let held: Promise<MemoryGrowth>;
let before: number;
let isOver: () => void;
const outcomes: string[] = [];
/** As many as the server reads at a time. Any further work would only wait. */
const places = new Semaphore(2);

beforeAll(async () => {
	cwd = await mkdtemp(join(tmpdir(), 'plinth-test-documents-'));
	temp = join(cwd, 'tmp');
	await mkdir(temp);
	const env = { PORT: '0', PLINTH_API_KEYS: 'me:key-of-the-tests', PLINTH_LOG_LEVEL: 'warn', TMPDIR: temp };
	child = plinth(['serve'], { cwd, env });
	const [, url = ''] = await child.printed(/serving +(http:\S+)/);
	client = rawClient(url, 'key-of-the-tests');
	// The first document loads the lazy modules.
	await expectReadable(-1);
	before = residentOrZero(child.pid);
	health = await startProbeThread(`${url}/healthz`);
	const over = new Promise<void>((done) => {
		isOver = done;
	});
	held = memoryGrowthDuring(child.pid, () => over);
});

afterAll(async () => {
	isOver?.();
	await health?.stop();
	await child?.kill();
	await rm(cwd, { recursive: true, force: true });
});

async function resultsOf(response: Response): Promise<readonly Result[]> {
	expect(response.status).toBe(200);
	return ((await response.json()) as { readonly results: readonly Result[] }).results;
}

async function parse(document: Uint8Array, filename: string, pages?: string): Promise<Result> {
	const form = new FormData();
	form.set('files', new Blob([Uint8Array.from(document)]), filename);
	if (pages !== undefined) form.set('pages', pages);
	const results = await resultsOf(await client.send(path, { method: 'POST', body: form }));
	expect(results).toHaveLength(1);
	return results[0] as Result;
}

const textOf = ({ content: { text, pages } }: Result) => text ?? pages?.map((page) => page.text).join('\n');

/** Parses a small document that is not in the cache. */
async function expectReadable(number: number): Promise<void> {
	const text = `The good document ${number}`;
	const result = await parse(tinyPdf({ pages: [show([text, 72, 700])] }), 'good.pdf');
	expect([result.error, textOf(result)]).toEqual([undefined, text]);
}

function expectOutcome({ ends }: Pick<HostileDocument, 'ends'>, result: Result): void {
	if (ends instanceof RegExp) {
		expect(result.error).toBeUndefined();
		expect(textOf(result)?.slice(0, 250_000)).toMatch(ends);
	} else {
		expect(typeof ends === 'string' ? [ends] : ends).toContain(result.error?.code);
		expect(result.content).toEqual({});
	}
}

describe.concurrent('a hostile document', () => {
	test.each(hostileDocuments.map((document, index) => ({ ...document, index })))(
		'has the expected result, and the next document is read: $name',
		(document) =>
			places.run(async () => {
				const bytes = document.make();
				const began = performance.now();
				const result = await parse(bytes, document.filename ?? 'document', document.pages);
				const seconds = ((performance.now() - began) / 1_000).toFixed(2);
				outcomes.push(`${document.name}: ${result.error?.code ?? 'text'} after ${seconds} s`);
				expectOutcome(document, result);
				expect(textOf(result) ?? '').not.toContain('root:x:');
				await expectReadable(document.index);
			}),
	);
});

test('a valid document in one request with many hostile ones is read', async () => {
	const small = hostileDocuments
		.filter(({ pages }) => pages === undefined)
		.map((document) => ({ ...document, bytes: document.make() }))
		.filter(({ bytes }) => bytes.length < megabyte / 4)
		.slice(0, 63);
	const valid = { name: 'good', ends: /^good$/, bytes: Buffer.from('good') };
	const sent = [...small.slice(0, 20), valid, ...small.slice(20)];
	const files = sent.map(({ bytes }) => ({
		url: `data:application/pdf;base64,${Buffer.from(bytes).toString('base64')}`,
	}));
	const results = await resultsOf(await client.post(path, { files }));
	for (const [index, each] of sent.entries()) expectOutcome(each, results[index] as Result);
});

test('the server stays responsive meanwhile and keeps no files', async () => {
	isOver();
	const times = await health.stop();
	const { server, child: reader } = await held;
	const p99 = percentile(times, 0.99);
	console.info(
		`${outcomes.join('\n')}\n/healthz p99 ${p99.toFixed(0)} ms of ${times.length}; ` +
			`server +${inMegabytes(server)}, largest reader ${inMegabytes(reader)}.`,
	);
	expect(p99).toBeLessThan(100);
	const after = () => residentOrZero(child.pid) - before;
	await eventually('the server frees the memory', () => after() < 300 * megabyte);
	expect(reader).toBeLessThan(600 * megabyte);
	expect((await readdir(temp)).filter((name) => name !== 'node-compile-cache')).toEqual([]);
});
