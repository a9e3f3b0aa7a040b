import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Child, type Exit, isGroupAlive, plinth } from '../../test/support/cli.ts';
import { readMp4 } from '../../test/support/mp4.ts';
import { pngSize } from '../../test/support/png.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';
import { loudness, readWav } from '../../test/support/wav.ts';
import { demoClient } from '../src/demo/client.ts';
import { statesOf } from '../src/demo/video-job.ts';

let cwd: string;
let child: Child;
let ended: Exit;
const out = () => join(cwd, 'made');

beforeAll(async () => {
	cwd = await temporaryDir('cli-demo');
	await mkdir(join(cwd, 'tmp'));
	child = plinth(['demo'], { cwd, env: { PLINTH_DEMO_DIR: out(), TMPDIR: join(cwd, 'tmp') } });
	ended = await child.exit;
}, 60_000);

afterAll(async () => {
	await child?.kill();
	await removeDir(cwd);
});

describe('plinth demo', () => {
	test('exits 0 without errors', () => {
		expect([ended.code, ended.stderr]).toEqual([0, '']);
	});

	test('writes a playable video', async () => {
		const mp4 = readMp4(await readFile(join(out(), 'video.mp4')));
		expect(mp4).toMatchObject({ codec: 'avc1', width: 1280, height: 720, frames: 96, seconds: 4 });
	});

	test('writes a picture, and an edit of it', async () => {
		const [drawn, edited] = await Promise.all(
			['image.png', 'edited.png'].map(async (file) => readFile(join(out(), file))),
		);
		expect(pngSize(drawn as Buffer)).toEqual({ width: 1536, height: 1024 });
		expect(pngSize(edited as Buffer)).toEqual({ width: 1536, height: 1024 });
		expect(edited?.equals(drawn as Buffer)).toBe(false);
	});

	test('writes audible speech', async () => {
		const wav = readWav(await readFile(join(out(), 'speech.wav')));
		expect(wav.seconds).toBeGreaterThan(2);
		expect(loudness(wav.samples)).toBeGreaterThan(0.01);
	});

	test('writes the text of a document, with its columns in order and the rows of its table', async () => {
		const { results } = JSON.parse(await readFile(join(out(), 'pages.json'), 'utf8'));
		const [page] = results[0].content.pages;
		expect(page).toMatchObject({ page: 1, width: 595, height: 842 });
		expect(page.text).toMatch(/^Rainfall in[\s\S]+to be corrected\.\s+In the south/);
		expect(page.text).toMatch(/^Hillcrest +38 mm +55 mm +69 mm$/m);
	});

	test('writes an answer from the document, with the place of its quotes', async () => {
		const answer = await readFile(join(out(), 'answer.txt'), 'utf8');
		expect(answer).toMatch(/trees had grown over the place[\s\S]*\(report\.pdf, page 1\)/);
	});

	test('writes nothing else', async () => {
		expect((await readdir(out())).sort()).toEqual([
			'answer.txt',
			'edited.png',
			'image.png',
			'pages.json',
			'speech.wav',
			'video.mp4',
		]);
	});

	test('shows the progress of the video, which does not decrease', () => {
		const shown = [...ended.stdout.matchAll(/video +(\d+) %/g)].map(([, percent]) => Number(percent));
		expect(shown.length).toBeGreaterThanOrEqual(3);
		expect(shown).toEqual(shown.toSorted((a, b) => a - b));
		expect(shown.at(-1)).toBe(100);
	});

	test('prints the files that it wrote', () => {
		expect(ended.stdout).toMatch(
			/Made:[\s\S]*video\.mp4[\s\S]*image\.png[\s\S]*edited\.png[\s\S]*speech\.wav[\s\S]*pages\.json[\s\S]*answer\.txt/,
		);
	});

	test('leaves no process', () => {
		expect(isGroupAlive(child.pid)).toBe(false);
	});

	test('leaves no data', async () => {
		const left = await readdir(join(cwd, 'tmp'));
		expect(left.filter((name) => name !== 'node-compile-cache')).toEqual([]);
		expect((await readdir(cwd)).sort()).toEqual(['made', 'tmp']);
	});
});

describe('the progress of the video job', () => {
	const eventsPath = '/v1/videos/{id}/events';
	const job = (status: string, percent: number) => ({
		...{ id: 'video_1', status, progress_percent: percent, error: null },
	});
	const frame = (type: string, data: object) =>
		`event: ${type}\ndata: ${JSON.stringify({ object: 'event', type, created_at: 1, data })}\n\n`;

	/** The printed percentages and the received requests, for a server with these responses. */
	async function followed(routes: readonly string[], answers: readonly string[]) {
		const received: string[] = [];
		const server = createServer(({ url = '' }, response) => {
			received.push(url);
			response.end(answers[received.length - 1]);
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const client = demoClient(`http://127.0.0.1:${port}`, 'key');
		const percent: number[] = [];
		try {
			for await (const state of statesOf(client, 'video_1', new Set(routes))) {
				percent.push(state.progress_percent);
			}
		} finally {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		}
		return { percent, asked: received };
	}

	test('is read from one stream', async () => {
		const stream = [
			': keep-alive\n\n',
			frame('job.state', job('queued', 0)),
			frame('job.progress', job('in_progress', 40)),
			frame('job.completed', job('completed', 100)),
		];
		expect(await followed([eventsPath], [stream.join('')])).toEqual({
			percent: [0, 40, 100],
			asked: ['/v1/videos/video_1/events'],
		});
	});

	test('is read from another stream when the first one ends before the job', async () => {
		const first = frame('job.state', job('queued', 0)) + frame('stream.end', { reason: 'max_age' });
		const second = frame('job.state', job('failed', 70));
		const { percent, asked } = await followed([eventsPath], [first, second]);
		expect([percent, asked.length]).toEqual([[0, 70], 2]);
	});

	test('ends with an error when the job is deleted', async () => {
		const stream = frame('job.deleted', { id: 'video_1', object: 'video.deleted', deleted: true });
		await expect(followed([eventsPath], [stream])).rejects.toThrow('deleted');
	});

	test('is polled when the server has no such stream', async () => {
		const answers = [job('in_progress', 50), job('completed', 100)].map((each) => JSON.stringify(each));
		expect(await followed([], answers)).toEqual({
			percent: [50, 100],
			asked: ['/v1/videos/video_1', '/v1/videos/video_1'],
		});
	});
});
