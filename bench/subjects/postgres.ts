import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BusEvent, Clock, EventBus, JobStore } from '@plinth/core';
import { postgresEvents, postgresJobs } from '@plinth/postgres';
import { createBackend, silentLogger } from '@plinth/testing';
import pg from 'pg';

/** The measured quantity of one job or one call. */
interface Side {
	job(): Promise<unknown>;
	create?(): Promise<unknown>;
	read?(): Promise<unknown>;
	/** Statements of a worker that polls once a second while its slots are occupied. */
	polls?(waiting: number): Promise<number>;
}

const [, , side = '', url = ''] = process.argv;
const callers = 32;
const input = { prompt: 'A lighthouse above the sea', seconds: 4, size: '720x1280', reference: null };
const result = { video: { key: 'jobs/x/1/video', mediaType: 'video/mp4', size: 1_000_000 } };
const clock: Clock = { now: () => Date.now(), after: (ms, task) => cancelled(setTimeout(task, ms)) };

const sides: Readonly<Record<string, () => Promise<Side>>> = { plinth, boss, bare };
const subject = (await sides[side]?.()) ?? fail();

process.on('message', async ({ what, forMs, waiting }: { what: keyof Side; forMs: number; waiting?: number }) => {
	if (waiting !== undefined) return process.send?.({ rate: await subject.polls?.(waiting) });
	const call = subject[what] as () => Promise<unknown>;
	const began = performance.now();
	let count = 0;
	const work = async () => {
		while (performance.now() - began < forMs) {
			await call();
			count += 1;
		}
	};
	await Promise.all(Array.from({ length: callers }, work));
	process.send?.({ rate: (count / (performance.now() - began)) * 1000 });
});
process.send?.('ready');

async function plinth(): Promise<Side> {
	const open = { clock, log: silentLogger() };
	const { provided: store } = await createBackend<JobStore>(postgresJobs({ url }), open);
	const bus =
		process.argv[4] === 'hints' ? (await createBackend<EventBus>(postgresEvents({ url }), open)).provided : undefined;
	const common = { kind: 'video', tenant: 'acme', principal: 'key_1', model: 'builtin-video' };
	const create = async (kind = 'video') => {
		const id = `${kind}_${newId()}`;
		await store.create({ id, ...common, kind, input, maxAttempts: 5 });
		const hint: BusEvent = { type: 'job.queued', tenant: 'acme', subject: id, data: null };
		bus?.publish(hint);
		return id;
	};
	const known = await Promise.all(Array.from({ length: 1_000 }, () => create('known')));
	const take = bySlots((count) => store.take('video', 'worker', { leaseMs: 20_000, count }));
	return {
		async job() {
			await create();
			const claim = await take();
			if (claim === undefined) throw new Error('No job was given out.');
			await store.complete(claim.job.id, claim.fence, { result, retentionMs: 604_800_000 });
		},
		create: () => create('created'),
		read: () => store.get('acme', known[Math.floor(Math.random() * known.length)] ?? ''),
		async polls(waiting) {
			const kind = `poll${waiting}`;
			const missing = waiting - (await store.pending(kind));
			for (let n = 0; n < missing; n += 500) await Promise.all(Array.from({ length: 500 }, () => create(kind)));
			let statements = 0;
			const query = pg.Client.prototype.query as (...values: unknown[]) => unknown;
			pg.Client.prototype.query = function (this: pg.Client, ...values: unknown[]) {
				statements += 1;
				return query.apply(this, values);
			} as typeof pg.Client.prototype.query;
			const began = performance.now();
			for (let n = 0; n < 50; n += 1)
				await store.take(kind, 'worker', { leaseMs: 20_000, count: 0, models: ['builtin-video'] });
			pg.Client.prototype.query = query as typeof pg.Client.prototype.query;
			return process.argv[4] === 'time' ? (performance.now() - began) / 50 : statements / 50;
		},
	};
}

/** The simplest use of pg-boss: a queue that is polled. */
async function boss(): Promise<Side> {
	const require = createRequire(join(import.meta.dirname, '../../test/engines/package.json'));
	const { PgBoss } = (await import(require.resolve('pg-boss'))) as { PgBoss: new (options: object) => Boss };
	const queue = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false });
	await queue.start();
	await queue.createQueue('video');
	const fetch = bySlots((batchSize) => queue.fetch('video', { batchSize }));
	return {
		async job() {
			await queue.send('video', input);
			let job = await fetch();
			// A fetch leaves out jobs that another fetch has locked.
			while (job === undefined) job = await fetch();
			await queue.complete('video', job.id, result);
		},
	};
}

interface Boss {
	start(): Promise<unknown>;
	createQueue(name: string): Promise<unknown>;
	send(name: string, data: object): Promise<unknown>;
	fetch(name: string, options: { batchSize: number }): Promise<readonly { readonly id: string }[]>;
	complete(name: string, id: string, output: object): Promise<unknown>;
}

/** A table, and three statements for each job. */
async function bare(): Promise<Side> {
	const pool = new pg.Pool({ connectionString: url, max: 10 });
	await pool.query(`CREATE TABLE IF NOT EXISTS bare (id text PRIMARY KEY, status text NOT NULL, input text NOT NULL,
		result text, fence integer NOT NULL DEFAULT 0, lease timestamptz, created_at timestamptz NOT NULL DEFAULT now())`);
	await pool.query(`CREATE INDEX IF NOT EXISTS bare_queued ON bare (created_at) WHERE status = 'queued'`);
	const insert = (id: string, status: string) =>
		pool.query('INSERT INTO bare (id, status, input) VALUES ($1, $2, $3)', [id, status, JSON.stringify(input)]);
	const known = Array.from({ length: 1_000 }, newId);
	for (const id of known) await insert(id, 'known');
	return {
		async job() {
			await insert(newId(), 'queued');
			const { rows } = await pool.query(
				`UPDATE bare SET status = 'active', fence = fence + 1, lease = now() + interval '20 s'
				WHERE id = (SELECT id FROM bare WHERE status = 'queued' ORDER BY created_at FOR UPDATE SKIP LOCKED LIMIT 1)
				RETURNING *`,
			);
			const [job] = rows as { id: string; fence: number }[];
			if (!job) throw new Error('No job was given out.');
			await pool.query(`UPDATE bare SET status = 'completed', result = $3 WHERE id = $1 AND fence = $2`, [
				job.id,
				job.fence,
				JSON.stringify(result),
			]);
		},
		read: () => pool.query('SELECT * FROM bare WHERE id = $1', [known[Math.floor(Math.random() * known.length)]]),
	};
}

/** One worker with many slots. One call fills all free slots; a slot without a job resolves to undefined. */
function bySlots<T>(take: (count: number) => Promise<readonly T[]>): () => Promise<T | undefined> {
	let free: ((job: T | undefined) => void)[] = [];
	const fill = async () => {
		const slots = free;
		free = [];
		const jobs = await take(slots.length);
		slots.forEach((slot, index) => void slot(jobs[index]));
	};
	return () =>
		new Promise((resolve) => {
			if (free.length === 0) setImmediate(fill);
			free.push(resolve);
		});
}

function newId(): string {
	return `${String(Date.now()).padStart(15, '0')}${randomBytes(16).toString('hex')}`;
}

function cancelled(timer: NodeJS.Timeout): () => void {
	return () => clearTimeout(timer);
}

function fail(): never {
	throw new Error(`There is no side "${side}".`);
}
