import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, askOn, formPieces, keepAlive, type Outcome } from './asking.ts';
import { blobFiles } from './blob-files.ts';
import type { RawClient } from './client.ts';
import { type Fleet, fleetKey } from './fleet.ts';
import { solidPng } from './png.ts';
import type { Seeded } from './seeded.ts';

/** How long the servers of these rounds serve everything after the signal, in milliseconds. */
export const drainDelayMs = 500;
const redWithinMs = 100;

/** What one round of SIGTERM under load has shown. */
export interface DrainRound {
	/** Sentences about what must not happen. */
	readonly faults: readonly string[];
	readonly polls: number;
	/** Polls that began when the listener was about to close or closed: they may be refused. */
	readonly latePolls: number;
	readonly lateResets: number;
	/** Of the upload, the download and the speech: how many were under way at the signal. */
	readonly underWay: number;
	/** From the signal to the first red answer of `/readyz`. */
	readonly redAfterMs: number;
	/** From the signal to the end of the process. */
	readonly exitAfterMs: number;
}

/** What the rounds of one fleet share. */
export interface DrainScene {
	readonly fleet: Fleet;
	/** A completed video of a few megabytes, and its digest. */
	readonly video: { readonly id: string; readonly sha256: string };
	/** The digest of {@link sentence} as it is spoken in peace. */
	readonly speech: string;
	/** Jobs that the round before has accepted: the next server must finish them. */
	readonly accepted: Set<string>;
	/** Jobs that it could not finish: they must wait for the next server. */
	readonly interrupted: Set<string>;
}

const key = { 'x-api-key': fleetKey };
const picture = solidPng(640, 480, [10, 90, 200]);
const sentence = 'This is said while the server is being stopped. '.repeat(2);

/** Prepares a fleet for rounds. */
export async function drainScene(fleet: Fleet): Promise<DrainScene> {
	const server = await fleet.serve();
	const made = await server.client.create({ model: 'quick', prompt: 'ms=1 kb=12000' });
	await server.client.finished(made.id);
	const content = await ask(`${server.url}/v1/videos/${made.id}/content`, { headers: key });
	const speech = await speak(server.url);
	server.child.signal('SIGTERM');
	await server.child.exit;
	return {
		fleet,
		video: { id: made.id, sha256: sha256(content.body) },
		speech: sha256(speech.body),
		accepted: new Set(),
		interrupted: new Set(),
	};
}

/** One round: a server with everything under way at once gets SIGTERM. `withLongJob`: one that outlasts the grace period. */
export async function drainRound(scene: DrainScene, random: Seeded, withLongJob: boolean): Promise<DrainRound> {
	const { fleet, video, speech, accepted, interrupted } = scene;
	const server = await fleet.serve({ server: { graceMs: withLongJob ? 4_000 : 12_000 } });
	const { url, child, client } = server;
	const lost = await missing(client, scene);
	const job = await client.create({ model: 'quick', prompt: 'ms=900' });
	const longJob = withLongJob ? await client.create({ model: 'quick', prompt: 'ms=60000' }) : null;
	const status = `${url}/v1/videos/${job.id}`;
	const pollers = Array.from({ length: 4 }, () =>
		askOn(status, { headers: key, agent: keepAlive() }, random.integer(0, 8)),
	);
	const upload = slowUpload(url);
	const download = ask(`${url}/v1/videos/${video.id}/content`, { headers: key, pauseMs: 5 });
	const speaking = speak(url);
	await delay(random.integer(60, 300));

	const signalledAt = Date.now();
	child.signal('SIGTERM');
	const probes = askOn(`${url}/readyz`, {}, 5);
	const newcomer = delay(drainDelayMs / 2).then(() => ask(`${url}/v1/models`, { headers: key }));
	const { code } = await child.exit;
	const exitAfterMs = Date.now() - signalledAt;

	const polls = (await Promise.all(pollers.map(({ outcomes }) => outcomes))).flat();
	polls.push(await newcomer);
	const isLate = ({ askedAt }: Outcome) => askedAt > signalledAt + drainDelayMs - 100;
	const late = polls.filter(isLate);
	const ready = await probes.outcomes;
	const slow = await Promise.all([upload, download, speaking]);
	const [uploaded, downloaded, spoken] = slow;
	const faults = [
		...(code === 0 ? [] : [`the exit code is ${code}`]),
		...polls.filter((poll) => !isLate(poll)).flatMap((poll) => unlessStatus('a poll or a newcomer', poll, 200)),
		...unlessStatus('the upload', uploaded, 201),
		...unlessWhole('the download', downloaded, video.sha256),
		...unlessWhole('the speech', spoken, speech),
		...ready
			.filter(({ askedAt, status }) => askedAt >= signalledAt + redWithinMs && status === 200)
			.map(({ askedAt }) => `/readyz was green ${askedAt - signalledAt} ms after the signal`),
		...orphans(fleet),
		...lost,
	];
	accepted.add(job.id);
	if (longJob) interrupted.add(longJob.id);
	if (longJob && !child.stderr().includes('grace period is over')) faults.push('nothing was cut');
	const red = ready.find(({ status }) => status === 503);
	if (!red) faults.push('/readyz was never red');
	return {
		faults,
		polls: polls.length,
		latePolls: late.length,
		lateResets: late.filter(({ failure }) => failure && failure !== 'ECONNREFUSED').length,
		underWay: slow.filter(({ endedAt }) => endedAt > signalledAt).length,
		redAfterMs: (red?.endedAt ?? Number.NaN) - signalledAt,
		exitAfterMs,
	};
}

function speak(url: string): Promise<Outcome> {
	const body = { model: 'builtin-speech', voice: 'nova', input: sentence, response_format: 'pcm' };
	return ask(`${url}/v1/audio/speech`, {
		method: 'POST',
		headers: { ...key, 'content-type': 'application/json' },
		pieces: [Buffer.from(JSON.stringify(body))],
	});
}

function slowUpload(url: string): Promise<Outcome> {
	const fields = { model: 'quick', prompt: 'ms=1', size: '640x480' };
	const { headers, pieces } = formPieces(fields, picture, 8);
	const question = { method: 'POST', headers: { ...key, ...headers }, pieces, pauseMs: 90 };
	return ask(`${url}/v1/videos`, question);
}

/** What the round before has left to this server, and is not there. */
async function missing(client: RawClient, { accepted, interrupted }: DrainScene): Promise<readonly string[]> {
	const faults: string[] = [];
	for (const id of accepted) {
		const { status, error } = await client.finished(id);
		if (status !== 'completed') faults.push(`a job of the round before failed: ${error?.message}`);
	}
	for (const id of interrupted) {
		const { status } = await client.json<{ readonly status: string }>(`/v1/videos/${id}`);
		if (!['queued', 'in_progress'].includes(status)) faults.push(`a cut job is ${status}`);
		await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
	}
	accepted.clear();
	interrupted.clear();
	return faults;
}

function orphans({ tempDir, dataDir }: Fleet): readonly string[] {
	const spooled = readdirSync(tempDir).filter((name) => name.startsWith('plinth-'));
	const unfinished = blobFiles(dataDir).filter((path) => path.startsWith('@tmp/'));
	return [...spooled, ...unfinished].map((path) => `${path} was left`);
}

function unlessStatus(what: string, outcome: Outcome, status: number): readonly string[] {
	if (!outcome.failure && outcome.status === status) return [];
	const { failure, status: got, body, askedAt, endedAt } = outcome;
	const ending = failure ?? `${got} ${body.toString('utf8', 0, 200)}`;
	return [`${what} ended ${endedAt - askedAt} ms after its beginning with ${ending}`];
}

function unlessWhole(what: string, outcome: Outcome, digest: string): readonly string[] {
	const faults = unlessStatus(what, outcome, 200);
	if (faults.length > 0 || sha256(outcome.body) === digest) return faults;
	return [`${what} has ${outcome.body.length} other bytes`];
}

function sha256(bytes: Uint8Array): string {
	return createHash('sha256').update(bytes).digest('hex');
}
