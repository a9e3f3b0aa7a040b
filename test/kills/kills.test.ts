import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, expect, onTestFailed, test } from 'vitest';
import { blobFiles } from '../support/blob-files.ts';
import { allVideos, type RawClient, type WireVideo } from '../support/client.ts';
import { createFleet, type Fleet } from '../support/fleet.ts';
import { jobEvents } from '../support/job-events.ts';
import { JobTracker, type TrackedJob } from '../support/job-tracker.ts';
import { type KillPointName, KillPoints, killPointNames } from '../support/kill-points.ts';
import { downloadVideo, postJob, readJob, runRandomClient } from '../support/random-client.ts';
import { seeded } from '../support/seeded.ts';
import { type FreshStart, ServerAndWorker } from '../support/server-and-worker.ts';
import { printTable } from '../support/table.ts';

const rounds = process.env.PLINTH_TEST_LONG === '1' ? 500 : 50;
const clientCount = 5;
/** The time limit for the remaining jobs after the last kill: leases lapse, and waiting jobs run. */
const settleMs = 60_000;
const restartMs = 5_000;

const jobs = {
	leaseMs: 2_000,
	heartbeatMs: 500,
	progressMs: 50,
	pollMs: 500,
	sweepMs: 500,
	orphanMs: 3_000,
};

let fleet: Fleet;

beforeEach(async () => {
	fleet = await createFleet('kills', { jobs });
});

afterEach(() => fleet.remove());

test(`${rounds} rounds of SIGKILL lose no job, change no final state and leave no file`, async () => {
	const random = seeded();
	const tracker = new JobTracker();
	const processes = new ServerAndWorker(fleet, random);
	const killPoints = new KillPoints(fleet);
	const hits = new Map<KillPointName, number>();
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${fleet.output()}`));

	let round = 0;
	let isOver = false;
	const context = {
		tracker,
		random,
		client: () => processes.client,
		mayRender: () => round % 5 === 0,
		onEvent: (point: KillPointName) => killPoints.emit(point),
		isOver: () => isOver,
	};
	await processes.startMissing(false);
	const clientsDone = Promise.all(Array.from({ length: clientCount }, () => runRandomClient(context)));
	for (; round < rounds; round++) {
		await processes.startMissing(round % 2 === 1);
		await delay(random.integer(50, 500));
		const wanted = random.pick(killPointNames);
		const occurred = await killPoints.wait(wanted, random.integer(500, 1_500));
		const point = occurred ? wanted : 'at random';
		hits.set(point, (hits.get(point) ?? 0) + 1);
		if (random.chance(0.5)) await delay(random.integer(0, 6));
		await processes.killSome();
	}
	isOver = true;
	await clientsDone;
	killPoints.close();

	await processes.startMissing(false);
	const client = processes.client as RawClient;
	const stuck = await unfinishedJobs(client, tracker);
	const listed = await allVideos(client);
	for (const job of tracker.jobs.filter(({ id }) => id !== undefined)) {
		await readJob(context, client, job);
		if (job.removal !== 'none') continue;
		if (job.status === 'completed') await downloadVideo(context, client, job);
		if (job.key !== undefined) await postJob(context, client, job);
	}
	const orphans = await orphanedFiles(listed);
	const claims = await firstClaims(processes.freshStarts);

	const isRendered = ({ model }: TrackedJob) => model === 'builtin-video';
	const acknowledged = tracker.jobs.filter(({ id }) => id !== undefined);
	const jobsIn = (status: string) => acknowledged.filter((job) => job.status === status).length;
	printTable(`kills, seed ${random.seed}`, {
		rounds,
		'processes killed': processes.kills,
		'killed when': [...hits].map(([point, count]) => `${point} ${count}`).join(', '),
		acknowledged: acknowledged.length,
		'of those deleted': acknowledged.filter(({ removal }) => removal === 'done').length,
		'of those rendered by the built-in renderer': acknowledged.filter(isRendered).length,
		'requested and never acknowledged': tracker.jobs.length - acknowledged.length,
		completed: jobsIn('completed'),
		failed: jobsIn('failed'),
		lost: tracker.count('lost'),
		stuck: stuck.length,
		'final state changed': tracker.count('final state changed'),
		'wrong content': tracker.count('wrong content'),
		reappeared: tracker.count('reappeared'),
		'wrong replay': tracker.count('wrong replay'),
		'server errors': tracker.count('server error'),
		'orphaned files': orphans.length,
		'restart to first claim, median (ms)': median(claims.map(({ total }) => total)),
		'restart to first claim, at most (ms)': Math.max(...claims.map(({ total }) => total)),
		'ready to first claim, at most (ms)': Math.max(...claims.map(({ running }) => running)),
	});
	expect(tracker.faults).toEqual([]);
	expect(stuck).toEqual([]);
	expect(orphans).toEqual([]);
	const failures = new Set(acknowledged.flatMap(({ error }) => error ?? []));
	expect([...failures].filter((code) => code !== 'attempts_exhausted')).toEqual([]);
	expect(median(claims.map(({ total }) => total))).toBeLessThan(restartMs);
	// The start of a process depends on the machine. The time from then to the first claim does not.
	expect(Math.max(...claims.map(({ running }) => running))).toBeLessThan(restartMs);
	expect(acknowledged.length).toBeGreaterThan(rounds);
	expect(jobsIn('completed')).toBeGreaterThan(acknowledged.length / 2);
});

function median(numbers: readonly number[]): number {
	return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** Jobs that have not ended in time, acknowledged or not. */
async function unfinishedJobs(client: RawClient, tracker: JobTracker): Promise<readonly string[]> {
	const isOpen = ({ status }: WireVideo) => status === 'queued' || status === 'in_progress';
	let open: readonly WireVideo[] = [];
	const isSettled = async () => {
		open = (await allVideos(client)).filter(isOpen);
		return open.length === 0;
	};
	await eventually('every job has ended', isSettled, settleMs).catch(() => {});
	const promptOf = (id: string) => tracker.jobs.find((job: TrackedJob) => job.id === id)?.prompt;
	return open.map(({ id, status }) => `${id} is ${status}: ${promptOf(id)}`);
}

/** Files that belong to no completed job, after the sweeps had time to delete them. */
async function orphanedFiles(videos: readonly WireVideo[]): Promise<readonly string[]> {
	const completed = new Set(videos.filter(({ status }) => status === 'completed').map(({ id }) => id));
	const find = () => {
		const attempts = new Map<string, string>();
		const blobs = blobFiles(fleet.dataDir).filter((path) => {
			const [, id = '', attempt = ''] = /^jobs\/([^/]+)\/([^/]+)\//.exec(path) ?? [];
			if (!completed.has(id)) return true;
			if (attempt === 'input') return false;
			const isSecond = (attempts.get(id) ?? attempt) !== attempt;
			attempts.set(id, attempt);
			return isSecond;
		});
		const spooled = readdirSync(fleet.tempDir).filter((name) => name.startsWith('plinth-'));
		return [...blobs, ...spooled];
	};
	await eventually('no file is orphaned', () => find().length === 0, 15_000).catch(() => {});
	return find();
}

/**
 * The time from each start while no other process ran jobs to the first attempt that began after it, in milliseconds.
 * `running` leaves out the times without such a process: it may be killed before it has a job.
 */
async function firstClaims(
	starts: readonly FreshStart[],
): Promise<readonly { readonly total: number; readonly running: number }[]> {
	const started = (await jobEvents(fleet.dataDir)).filter(({ type }) => type === 'job.started');
	return starts.flatMap(({ from, readyAt }) => {
		const first = started.find(({ at }) => at >= from);
		if (!first) return [];
		const later = starts.filter((start) => start.downSince >= readyAt && start.downSince < first.at);
		const down = later.reduce((sum, start) => sum + start.readyAt - start.downSince, 0);
		return [{ total: first.at - from, running: first.at - readyAt - down }];
	});
}
