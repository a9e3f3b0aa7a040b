import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { reportPdf } from '../../../cli/src/demo/report-pdf.ts';
import { openEvents } from '../../support/event-stream.ts';
import { statement } from '../support/postgres.ts';
import { type ComposeProcesses, key, type Running, startCompose } from './compose-processes.ts';

const pollMs = 100;

let compose: ComposeProcesses;
let client: OpenAI;

beforeAll(async () => {
	compose = await startCompose('compose');
	// Enough retries for the seconds without a proxy.
	client = new OpenAI({ baseURL: `${compose.nginx.url}/v1`, apiKey: key, maxRetries: 6 });
}, 90_000);

afterAll(() => compose?.remove());

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

interface Made {
	readonly id: string;
	readonly sha256: string;
}

/** Creates a video. */
const create = (prompt: string) =>
	client.videos.create({ model: 'builtin-video' as OpenAI.VideoModel, prompt, seconds: '2' as '4', size: small });

const small = '640x480' as OpenAI.VideoSize;

/** Waits for a video and downloads it. */
async function finish(id: string): Promise<Made> {
	let video = await client.videos.retrieve(id);
	while (video.status !== 'completed') {
		if (video.status === 'failed') throw new Error(`${id}: ${video.error?.message}`);
		await delay(pollMs);
		video = await client.videos.retrieve(id);
	}
	return { id, sha256: digest(await download(id)) };
}

const download = async (id: string) => bytesOf(await client.videos.downloadContent(id));

/** Runs the operations of the demo through the proxy. Returns everything that is stored. */
async function demo(): Promise<{ readonly video: Made; readonly file: Made }> {
	const created = await create('A lighthouse above the sea');
	const stream = await openEvents(`${compose.nginx.url}/v1/videos/${created.id}/events`, key);
	const video = await finish(created.id);
	await stream.until('job.completed');
	expect(stream.types()).toContain('job.progress');
	compose.log(`video ${video.id}: ${(await download(video.id)).length} bytes, its events arrived while it ran`);

	const image = await client.images.generate({
		model: 'builtin-image',
		prompt: 'A castle',
		size: '512x512' as '256x256',
	});
	const picture = Buffer.from(image.data?.[0]?.b64_json ?? '', 'base64');
	const edited = await client.images.edit({
		model: 'builtin-image',
		prompt: 'warm, vignette',
		image: await toFile(picture, 'castle.png', { type: 'image/png' }),
	});
	expect(edited.data?.[0]?.b64_json?.length).toBeGreaterThan(1_000);
	const input = 'This is said behind a proxy.';
	const speech = await bytesOf(await client.audio.speech.create({ model: 'builtin-speech', voice: 'nova', input }));
	compose.log(`image ${picture.length} bytes and its edit, speech ${speech.length} bytes`);

	const pdf = Buffer.from(reportPdf());
	const stored = await client.files.create({ file: await toFile(pdf, 'report.pdf'), purpose: 'user_data' });
	const response = await client.chat.completions.create({
		model: 'builtin-chat',
		messages: [
			{
				role: 'user',
				content: [
					{ type: 'file', file: { file_id: stored.id } },
					{ type: 'text', text: 'Why was one gauge moved?' },
				],
			},
		],
	});
	expect(response.choices[0]?.message.content).toMatch(/gauge/i);
	compose.log(
		`file ${stored.id}, and an answer about it: ${response.choices[0]?.message.content?.replaceAll(/\s+/g, ' ')}`,
	);
	return { video, file: { id: stored.id, sha256: digest(pdf) } };
}

/** The process that runs a job. */
async function workerOf(id: string): Promise<Running> {
	let found: Running | undefined;
	const isFound = async () => {
		const text = 'SELECT worker FROM plinth.leases WHERE job_id = $1';
		const [row] = await statement<{ worker: string }>(compose.database, text, [id]);
		found = Object.values(compose.processes).find(({ child }) => row?.worker.startsWith(`${child.pid}-`));
		return found !== undefined;
	};
	await eventually(`a worker has ${id}`, isFound, 10_000);
	return found as Running;
}

async function killAndRestart(running: Running | undefined): Promise<void> {
	if (!running) throw new Error('There is no such process.');
	await running.child.kill();
	compose.log(`${running.name} was killed`);
	await running.start();
	compose.log(`${running.name} has restarted`);
}

test('the processes of compose.yaml run the demo through the shipped nginx and survive a kill of each kind', {
	timeout: 180_000,
}, async () => {
	onTestFailed(() => console.error(`${compose.transcript.join('\n')}\n${compose.output().slice(-20_000)}`));
	const { postgres, nginx, processes } = compose;
	const before = await demo();

	const videos: Promise<Made>[] = [];
	const ask = async (prompt: string) => {
		const { id } = await create(prompt);
		compose.log(`${id}: created, ${prompt}`);
		const made = finish(id);
		// It is awaited at the end and may fail earlier.
		made.catch(() => {});
		videos.push(made);
		return id;
	};
	const lost = await ask('while its worker is killed');
	const back = [killAndRestart(await workerOf(lost))];
	const asked = ask('while a server is killed');
	back.push(killAndRestart(processes['api-1']));
	await asked;
	await ask('while nginx is killed');
	await nginx.kill();
	compose.log('nginx was killed');
	const during = ask('while nginx is down');
	await nginx.start();
	compose.log('nginx has restarted');
	await Promise.all([during, ...back]);
	await ask('while PostgreSQL is killed');
	await postgres.kill();
	compose.log('PostgreSQL was killed');
	await postgres.start();
	compose.log('PostgreSQL has restarted');
	await ask('when everything has restarted');

	const made = await Promise.all(videos);
	compose.log(`all ${made.length} videos are completed`);
	for (const { id, sha256 } of [before.video, ...made]) expect(digest(await download(id)), id).toBe(sha256);
	const file = digest(await bytesOf(await client.files.content(before.file.id)));
	expect(file).toBe(before.file.sha256);
	const listed: string[] = [];
	for await (const { id } of client.videos.list()) listed.push(id);
	expect(listed.toSorted()).toEqual([before.video, ...made].map(({ id }) => id).toSorted());
	compose.log('every video and the file were read again, with the same bytes');
	process.stdout.write(`\ncompose.yaml, as processes\n${compose.transcript.join('\n')}\n\n`);
});
