import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RawClient, WireVideo } from './client.ts';
import type { JobTracker, TrackedJob } from './job-tracker.ts';
import { readMp4 } from './mp4.ts';
import { solidPng } from './png.ts';
import { describeBytes } from './quick-video.ts';
import type { Seeded } from './seeded.ts';

/** Shared by all random clients of a test. */
export interface RandomClientContext {
	readonly tracker: JobTracker;
	readonly random: Seeded;
	/** The client of the running server; undefined while the server is down. */
	readonly client: () => RawClient | undefined;
	/** Whether a render that takes a second or two may be requested now. */
	readonly mayRender: () => boolean;
	/** Called for each event, so that the test can kill a process at that point. */
	readonly onEvent: (event: 'create sent' | 'create acknowledged' | 'nearly completed') => void;
	readonly isOver: () => boolean;
}

const image = solidPng(640, 480, [30, 160, 90]);
/** The maximum number of waiting jobs. More would only make the end of the test longer. */
const maxWaitingJobs = 16;
let count = 0;

/**
 * Creates, polls, downloads, retries and deletes jobs at random until `isOver`. Reports every response to the tracker.
 */
export async function runRandomClient(context: RandomClientContext): Promise<void> {
	const { client, random, isOver } = context;
	while (!isOver()) {
		const currentClient = client();
		if (currentClient) await runStep(context, currentClient).catch(ignoreBrokenConnection);
		await delay(random.integer(4, 40));
	}
}

async function runStep(context: RandomClientContext, client: RawClient): Promise<void> {
	const { tracker, random } = context;
	const exists = ({ id, removal }: TrackedJob) => id !== undefined && removal === 'none';
	const waiting = tracker.jobs.filter((job) => exists(job) && !job.finalState).length;
	const choice = random.fraction();
	if (choice < 0.4 && waiting < maxWaitingJobs) return createJob(context, client);
	const [isMatch, act] = choices(exists, choice);
	const [first, ...rest] = tracker.free(isMatch).slice(-40);
	if (!first) return;
	const job = random.pick([first, ...rest]);
	job.isBusy = true;
	try {
		await act(context, client, job);
	} finally {
		job.isBusy = false;
	}
}

type Act = (context: RandomClientContext, client: RawClient, job: TrackedJob) => Promise<void>;

function choices(exists: (job: TrackedJob) => boolean, choice: number): readonly [(job: TrackedJob) => boolean, Act] {
	if (choice < 0.72) return [({ id }) => id !== undefined, readJob];
	if (choice < 0.86) return [(job) => exists(job) && job.status === 'completed', downloadVideo];
	if (choice < 0.96) return [({ key, removal }) => key !== undefined && removal === 'none', postJob];
	return [exists, deleteJob];
}

async function createJob(context: RandomClientContext, client: RawClient): Promise<void> {
	const { tracker, random, mayRender } = context;
	const isRender = mayRender() && random.chance(0.3);
	const name = `job ${count++}`;
	const job = tracker.add({
		model: isRender ? 'builtin-video' : 'quick',
		prompt: isRender ? name : `${name} ms=${random.integer(1, 500)} kb=${random.integer(1, 300)}`,
		key: random.chance(0.5) ? `key-of-${name.replace(' ', '-')}` : undefined,
		hasReference: random.chance(0.4),
	});
	try {
		await postJob(context, client, job);
	} finally {
		job.isBusy = false;
	}
}

/** Posts the job, as a first request or as a retry with the same key. */
export async function postJob(
	{ tracker, onEvent }: RandomClientContext,
	client: RawClient,
	job: TrackedJob,
): Promise<void> {
	const body = new FormData();
	const fields = { model: job.model, prompt: job.prompt, seconds: '2', size: '640x480' };
	for (const [name, value] of Object.entries(fields)) body.set(name, value);
	if (job.hasReference) body.set('input_reference', new File([image], 'start.png'));
	const headers = job.key === undefined ? {} : { 'idempotency-key': job.key };
	const responding = client.send('/v1/videos', { method: 'POST', headers, body });
	onEvent('create sent');
	const response = await responding;
	const text = await response.text();
	if (response.status !== 201) return tracker.addFault('server error', `POST: ${response.status} ${text}`);
	tracker.recordCreated(job, JSON.parse(text) as WireVideo);
	onEvent('create acknowledged');
}

/** Reads the job. */
export async function readJob(
	{ tracker, onEvent }: RandomClientContext,
	client: RawClient,
	job: TrackedJob,
): Promise<void> {
	const response = await client.send(`/v1/videos/${job.id}`);
	const text = await response.text();
	if (response.status === 404) return tracker.recordNotFound(job);
	if (response.status !== 200) return tracker.addFault('server error', `GET: ${response.status} ${text}`);
	const video = JSON.parse(text) as WireVideo;
	tracker.recordState(job, video);
	if (video.status === 'in_progress' && video.progress >= 0.8) onEvent('nearly completed');
}

/** Downloads the video and compares it with its entity tag and with its job. */
export async function downloadVideo(
	{ tracker }: RandomClientContext,
	client: RawClient,
	job: TrackedJob,
): Promise<void> {
	const response = await client.send(`/v1/videos/${job.id}/content`);
	const bytes = new Uint8Array(await response.arrayBuffer());
	const etag = response.headers.get('etag') ?? '';
	const fault = (problem: string) => tracker.addFault('wrong content', `${job.id}: ${problem}`);
	if (response.status !== 200) return fault(`status ${response.status}`);
	if (!etag.includes(createHash('sha256').update(bytes).digest('hex'))) return fault('other bytes');
	job.etag ??= etag;
	if (job.etag !== etag) return fault(`the entity tag changed from ${job.etag} to ${etag}`);
	if (!matchesJob(job, bytes)) fault('the content belongs to another job');
}

function matchesJob({ model, prompt }: TrackedJob, bytes: Uint8Array): boolean {
	return model === 'quick' ? describeBytes(bytes).prompt === prompt : readMp4(bytes).frames === 48;
}

async function deleteJob({ tracker }: RandomClientContext, client: RawClient, job: TrackedJob): Promise<void> {
	const responding = client.send(`/v1/videos/${job.id}`, { method: 'DELETE' });
	job.removal = 'requested';
	const { status } = await responding;
	if (status === 200 || status === 404) job.removal = 'done';
	else tracker.addFault('server error', `DELETE: ${status}`);
}

/** `fetch` throws a TypeError when its server is killed. Any other error is a mistake in the test. */
function ignoreBrokenConnection(error: unknown): void {
	if (!(error instanceof TypeError)) throw error;
}
