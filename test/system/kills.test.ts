import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, expect, onTestFailed, test } from 'vitest';
import { blobFiles } from '../support/blob-files.ts';
import { allVideos, type RawClient, type WireVideo } from '../support/client.ts';
import { Crew, type FreshStart } from '../support/crew.ts';
import { createFleet, type Fleet } from '../support/fleet.ts';
import { jobEvents } from '../support/job-events.ts';
import { type Entry, Ledger } from '../support/ledger.ts';
import { type MomentName, Moments, momentNames } from '../support/moments.ts';
import { seeded } from '../support/seeded.ts';
import { printTable } from '../support/table.ts';
import { ask, download, look, visit } from '../support/visitor.ts';

const rounds = process.env.PLINTH_TEST_LONG === '1' ? 500 : 50;
const visitors = 5;
/** How long the last jobs may take once nobody is killed any more: leases lapse, and what waits is done. */
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

test(`${rounds} rounds of SIGKILL lose no job, move no end and leave no file`, async () => {
	const random = seeded();
	const ledger = new Ledger();
	const crew = new Crew(fleet, random);
	const moments = new Moments(fleet);
	const hits = new Map<MomentName, number>();
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${fleet.output()}`));

	let round = 0;
	let isOver = false;
	const context = {
		ledger,
		random,
		client: () => crew.client,
		mayRender: () => round % 5 === 0,
		happened: (moment: MomentName) => moments.happened(moment),
		isOver: () => isOver,
	};
	await crew.complete(false);
	const visiting = Promise.all(Array.from({ length: visitors }, () => visit(context)));
	for (; round < rounds; round++) {
		await crew.complete(round % 2 === 1);
		await delay(random.integer(50, 500));
		const wanted = random.pick(momentNames);
		const hasCome = await moments.wait(wanted, random.integer(500, 1_500));
		const moment = hasCome ? wanted : 'at random';
		hits.set(moment, (hits.get(moment) ?? 0) + 1);
		if (random.chance(0.5)) await delay(random.integer(0, 6));
		await crew.killSome();
	}
	isOver = true;
	await visiting;
	moments.close();

	await crew.complete(false);
	const client = crew.client as RawClient;
	const stuck = await unsettled(client, ledger);
	const listed = await allVideos(client);
	for (const entry of ledger.entries.filter(({ id }) => id !== undefined)) {
		await look(context, client, entry);
		if (entry.removal !== 'none') continue;
		if (entry.status === 'completed') await download(context, client, entry);
		if (entry.key !== undefined) await ask(context, client, entry);
	}
	const orphans = await leftOver(listed);
	const claims = await firstClaims(crew.freshStarts);

	const isDrawn = ({ model }: Entry) => model === 'builtin-video';
	const acknowledged = ledger.entries.filter(({ id }) => id !== undefined);
	const ended = (status: string) => acknowledged.filter((entry) => entry.status === status).length;
	printTable(`kills, seed ${random.seed}`, {
		rounds,
		'processes killed': crew.kills,
		'killed when': [...hits].map(([moment, count]) => `${moment} ${count}`).join(', '),
		acknowledged: acknowledged.length,
		'of those deleted': acknowledged.filter(({ removal }) => removal === 'done').length,
		'of those drawn by the built-in renderer': acknowledged.filter(isDrawn).length,
		'asked for and never acknowledged': ledger.entries.length - acknowledged.length,
		completed: ended('completed'),
		failed: ended('failed'),
		lost: ledger.count('lost'),
		stuck: stuck.length,
		'terminal moved': ledger.count('terminal moved'),
		'half-served': ledger.count('half-served'),
		'came back': ledger.count('came back'),
		'replayed wrongly': ledger.count('replayed wrongly'),
		'server errors': ledger.count('server error'),
		'orphaned files': orphans.length,
		'restart to first claim, median (ms)': median(claims.map(({ total }) => total)),
		'restart to first claim, at most (ms)': Math.max(...claims.map(({ total }) => total)),
		'of that once it runs, at most (ms)': Math.max(...claims.map(({ running }) => running)),
	});
	expect(ledger.faults).toEqual([]);
	expect(stuck).toEqual([]);
	expect(orphans).toEqual([]);
	const failures = new Set(acknowledged.flatMap(({ error }) => error ?? []));
	expect([...failures].filter((code) => code !== 'attempts_exhausted')).toEqual([]);
	expect(median(claims.map(({ total }) => total))).toBeLessThan(restartMs);
	// How long a single process takes to start is the machine's matter; what it does then is not.
	expect(Math.max(...claims.map(({ running }) => running))).toBeLessThan(restartMs);
	expect(acknowledged.length).toBeGreaterThan(rounds);
	expect(ended('completed')).toBeGreaterThan(acknowledged.length / 2);
});

function median(numbers: readonly number[]): number {
	return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** Jobs that have not ended in time, acknowledged or not. */
async function unsettled(client: RawClient, ledger: Ledger): Promise<readonly string[]> {
	const isOpen = ({ status }: WireVideo) => status === 'queued' || status === 'in_progress';
	let open: readonly WireVideo[] = [];
	const isSettled = async () => {
		open = (await allVideos(client)).filter(isOpen);
		return open.length === 0;
	};
	await eventually('every job has ended', isSettled, settleMs).catch(() => {});
	const promptOf = (id: string) => ledger.entries.find((entry: Entry) => entry.id === id)?.prompt;
	return open.map(({ id, status }) => `${id} is ${status}: ${promptOf(id)}`);
}

/** Files that belong to nothing that is served, once the sweeps have been by. */
async function leftOver(videos: readonly WireVideo[]): Promise<readonly string[]> {
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
	await eventually('nothing is left over', () => find().length === 0, 15_000).catch(() => {});
	return find();
}

/** From each start with nobody left over to the first attempt that began behind it, in milliseconds. */
async function firstClaims(
	starts: readonly FreshStart[],
): Promise<readonly { readonly total: number; readonly running: number }[]> {
	const started = (await jobEvents(fleet.dataDir)).filter(({ type }) => type === 'job.started');
	return starts.flatMap(({ from, readyAt }) => {
		const first = started.find(({ at }) => at >= from);
		return first ? [{ total: first.at - from, running: first.at - readyAt }] : [];
	});
}
