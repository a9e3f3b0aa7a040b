import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { blobFiles } from './blob-files.ts';
import type { RawClient } from './client.ts';
import { type Fleet, fleetKey } from './fleet.ts';
import { formPieces, keepAliveAgent, type Outcome, sendRepeatedly, sendRequest } from './http-requests.ts';
import { solidPng } from './png.ts';
import type { Seeded } from './seeded.ts';

/** How long the servers keep serving after the signal, in milliseconds. */
export const drainDelayMs = 500;
const unreadyWithinMs = 100;

/** The result of one round of SIGTERM under load. */
export interface DrainRound {
	/** Descriptions of the faults found. */
	readonly faults: readonly string[];
	readonly polls: number;
	/** Polls that began shortly before or after the listener closed. They may be refused. */
	readonly latePolls: number;
	readonly lateResets: number;
	/** How many of the upload, the download and the speech request were running at the signal. */
	readonly underWay: number;
	/** Milliseconds from the signal to the first 503 of `/readyz`. */
	readonly unreadyAfterMs: number;
	/** Milliseconds from the signal to the exit of the process. */
	readonly exitAfterMs: number;
}

/** The state that the rounds of one fleet share. */
export interface DrainState {
	readonly fleet: Fleet;
	/** A completed video of a few megabytes, and its digest. */
	readonly video: { readonly id: string; readonly sha256: string };
	/** The digest of the speech for {@link sentence}, made without load. */
	readonly speech: string;
	/** Jobs that the previous round accepted. The next server must complete them. */
	readonly accepted: Set<string>;
	/** Jobs that the previous round could not complete. They must be waiting for the next server. */
	readonly interrupted: Set<string>;
}

const key = { 'x-api-key': fleetKey };
const image = solidPng(640, 480, [10, 90, 200]);
const sentence = 'This is said while the server is being stopped. '.repeat(2);

/** Prepares a fleet for rounds. */
export async function prepareDrain(fleet: Fleet): Promise<DrainState> {
	const server = await fleet.serve();
	const created = await server.client.create({ model: 'quick', prompt: 'ms=1 kb=12000' });
	await server.client.finished(created.id);
	const content = await sendRequest(`${server.url}/v1/videos/${created.id}/content`, { headers: key });
	const speech = await requestSpeech(server.url);
	server.child.signal('SIGTERM');
	await server.child.exit;
	return {
		fleet,
		video: { id: created.id, sha256: sha256(content.body) },
		speech: sha256(speech.body),
		accepted: new Set(),
		interrupted: new Set(),
	};
}

/**
 * One round: a server with several requests running gets SIGTERM. `withLongJob` adds a job that outlasts the grace
 * period.
 */
export async function drainRound(state: DrainState, random: Seeded, withLongJob: boolean): Promise<DrainRound> {
	const { fleet, video, speech, accepted, interrupted } = state;
	const server = await fleet.serve({ server: { graceMs: withLongJob ? 4_000 : 12_000 } });
	const { url, child, client } = server;
	const previousFaults = await checkPreviousJobs(client, state);
	const job = await client.create({ model: 'quick', prompt: 'ms=900' });
	const longJob = withLongJob ? await client.create({ model: 'quick', prompt: 'ms=60000' }) : null;
	const status = `${url}/v1/videos/${job.id}`;
	const pollers = Array.from({ length: 4 }, () =>
		sendRepeatedly(status, { headers: key, agent: keepAliveAgent() }, random.integer(0, 8)),
	);
	const upload = slowUpload(url);
	const download = sendRequest(`${url}/v1/videos/${video.id}/content`, { headers: key, pauseMs: 5 });
	const speechDone = requestSpeech(url);
	await delay(random.integer(60, 300));

	const signalledAt = Date.now();
	child.signal('SIGTERM');
	const probes = sendRepeatedly(`${url}/readyz`, {}, 5);
	const newRequest = delay(drainDelayMs / 2).then(() => sendRequest(`${url}/v1/models`, { headers: key }));
	const { code } = await child.exit;
	const exitAfterMs = Date.now() - signalledAt;

	const polls = (await Promise.all(pollers.map(({ outcomes }) => outcomes))).flat();
	polls.push(await newRequest);
	const isLate = ({ startedAt }: Outcome) => startedAt > signalledAt + drainDelayMs - 100;
	const late = polls.filter(isLate);
	const ready = await probes.outcomes;
	const slow = await Promise.all([upload, download, speechDone]);
	const [uploaded, downloaded, spokenAudio] = slow;
	const faults = [
		...(code === 0 ? [] : [`the exit code is ${code}`]),
		...polls.filter((poll) => !isLate(poll)).flatMap((poll) => checkStatus('a poll or a new request', poll, 200)),
		...checkStatus('the upload', uploaded, 201),
		...checkContent('the download', downloaded, video.sha256),
		...checkContent('the speech', spokenAudio, speech),
		...ready
			.filter(({ startedAt, status }) => startedAt >= signalledAt + unreadyWithinMs && status === 200)
			.map(({ startedAt }) => `/readyz answered 200 ${startedAt - signalledAt} ms after the signal`),
		...orphanedFiles(fleet),
		...previousFaults,
	];
	accepted.add(job.id);
	if (longJob) interrupted.add(longJob.id);
	if (longJob && !child.stderr().includes('grace period has ended')) faults.push('no job was interrupted');
	const unready = ready.find(({ status }) => status === 503);
	if (!unready) faults.push('/readyz never answered 503');
	return {
		faults,
		polls: polls.length,
		latePolls: late.length,
		lateResets: late.filter(({ failure }) => failure && failure !== 'ECONNREFUSED').length,
		underWay: slow.filter(({ endedAt }) => endedAt > signalledAt).length,
		unreadyAfterMs: (unready?.endedAt ?? Number.NaN) - signalledAt,
		exitAfterMs,
	};
}

function requestSpeech(url: string): Promise<Outcome> {
	const body = { model: 'builtin-speech', voice: 'nova', input: sentence, response_format: 'pcm' };
	return sendRequest(`${url}/v1/audio/speech`, {
		method: 'POST',
		headers: { ...key, 'content-type': 'application/json' },
		parts: [Buffer.from(JSON.stringify(body))],
	});
}

function slowUpload(url: string): Promise<Outcome> {
	const fields = { model: 'quick', prompt: 'ms=1', size: '640x480' };
	const { headers, parts } = formPieces(fields, image, 8);
	const options = { method: 'POST', headers: { ...key, ...headers }, parts, pauseMs: 90 };
	return sendRequest(`${url}/v1/videos`, options);
}

/** Jobs of the previous round that are not in the expected state. */
async function checkPreviousJobs(client: RawClient, { accepted, interrupted }: DrainState): Promise<readonly string[]> {
	const faults: string[] = [];
	for (const id of accepted) {
		const { status, error } = await client.finished(id);
		if (status !== 'completed') faults.push(`a job of the previous round failed: ${error?.message}`);
	}
	for (const id of interrupted) {
		const { status } = await client.json<{ readonly status: string }>(`/v1/videos/${id}`);
		if (!['queued', 'in_progress'].includes(status)) faults.push(`an interrupted job is ${status}`);
		await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
	}
	accepted.clear();
	interrupted.clear();
	return faults;
}

function orphanedFiles({ tempDir, dataDir }: Fleet): readonly string[] {
	const spooled = readdirSync(tempDir).filter((name) => name.startsWith('plinth-'));
	const unfinished = blobFiles(dataDir).filter((path) => path.startsWith('@tmp/'));
	return [...spooled, ...unfinished].map((path) => `${path} is orphaned`);
}

function checkStatus(name: string, outcome: Outcome, status: number): readonly string[] {
	if (!outcome.failure && outcome.status === status) return [];
	const { failure, status: received, body, startedAt, endedAt } = outcome;
	const ending = failure ?? `${received} ${body.toString('utf8', 0, 200)}`;
	return [`${name} ended ${endedAt - startedAt} ms after its start with ${ending}`];
}

function checkContent(name: string, outcome: Outcome, digest: string): readonly string[] {
	const faults = checkStatus(name, outcome, 200);
	if (faults.length > 0 || sha256(outcome.body) === digest) return faults;
	return [`${name} has unexpected content of ${outcome.body.length} bytes`];
}

function sha256(bytes: Uint8Array): string {
	return createHash('sha256').update(bytes).digest('hex');
}
