import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Claim, JobStore } from '@plinth/core';
import { sqliteJobs } from '@plinth/sqlite';
import { createBackend, silentLogger } from '@plinth/testing';

/** The operations on a job that both sides have. */
interface Jobs {
	create(id: string): Promise<unknown>;
	/** Takes a job: Plinth takes the next one, the raw side the one with this id. */
	take(id: string): Promise<{ readonly id: string; readonly fence: number }>;
	complete(id: string, fence: number): Promise<unknown>;
}

const [, , side, dir = '.'] = process.argv;
const callers = 32;
const retentionMs = 7 * 24 * 60 * 60 * 1000;
const input = {
	prompt: 'A lighthouse above the sea',
	seconds: 4,
	size: '720x1280',
	reference: null,
};
const result = { video: { key: 'jobs/x/1/video', mediaType: 'video/mp4', size: 1_000_000 } };

const file = join(dir, `${side}.db`);
const store = await openOurs(side === 'raw' ? join(dir, 'schema.db') : file);
const jobs = side === 'raw' ? raw(file, join(dir, 'schema.db')) : ported(store);

process.on('message', async ({ forMs }: { forMs: number }) => {
	const began = performance.now();
	let count = 0;
	const work = async () => {
		while (performance.now() - began < forMs) {
			const id = `video_${String(Date.now()).padStart(15, '0')}${randomBytes(16).toString('hex')}`;
			await jobs.create(id);
			const taken = await jobs.take(id);
			await jobs.complete(taken.id, taken.fence);
			count += 1;
		}
	};
	await Promise.all(Array.from({ length: callers }, work));
	process.send?.({ rate: (count / (performance.now() - began)) * 1000 });
});
process.send?.('ready');

async function openOurs(path: string): Promise<JobStore> {
	const clock = { now: () => Date.now(), after: () => () => {} };
	const backend = sqliteJobs({ file: path });
	return (await createBackend<JobStore>(backend, { clock, log: silentLogger() })).provided;
}

function ported(port: JobStore): Jobs {
	const common = { kind: 'video', tenant: 'acme', principal: 'key_1', model: 'builtin-video' };
	return {
		create: (id) => port.create({ id, ...common, input, maxAttempts: 5 }),
		take: takesOf(port),
		complete: (id, fence) => port.complete(id, fence, { result, retentionMs }),
	};
}

/** One worker with many slots. One take fills all free slots. */
function takesOf(port: JobStore): Jobs['take'] {
	let free: ((claim: Claim | undefined) => void)[] = [];
	const fill = async () => {
		const slots = free;
		free = [];
		const claims = await port.take('video', 'worker', { leaseMs: 20_000, count: slots.length });
		slots.forEach((slot, index) => void slot(claims[index]));
	};
	return async () => {
		const claim = await new Promise<Claim | undefined>((resolve) => {
			if (free.length === 0) setImmediate(fill);
			free.push(resolve);
		});
		if (!claim) throw new Error('No job was given out.');
		return { id: claim.job.id, fence: claim.fence };
	};
}

/** Writes the same rows to the same tables on the calling thread, with one transaction per turn of the event loop. */
function raw(path: string, schemaFile: string): Jobs {
	const db = openLike(path, schemaFile);
	const insert = db.prepare(
		`INSERT INTO jobs (id, kind, tenant, principal, model, status, input, max_attempts, created_at, due_at)
		VALUES (?, 'video', 'acme', 'key_1', 'builtin-video', 'queued', ?, 5, ?, ?)`,
	);
	const take = db.prepare(
		`UPDATE jobs SET status = 'in_progress', attempt = attempt + 1, fence = fence + 1, started_at = ?, worker = 'worker',
		lease_ms = 20000, due_at = ? WHERE id = ? AND status = 'queued' RETURNING fence`,
	);
	const complete = db.prepare(
		`UPDATE jobs SET status = 'completed', progress = 1, result = ?, completed_at = ?, expires_at = ?, content_due_at = ?,
		due_at = NULL, record_due_at = ?, ended_by = 'complete' WHERE id = ? AND fence = ? AND status = 'in_progress'`,
	);
	const event = db.prepare(
		`INSERT INTO events (type, job_id, kind, tenant, at, data) VALUES (?, ?, 'video', 'acme', ?, ?)`,
	);
	const write = groups(db);
	return {
		create: (id) =>
			write((now) => {
				insert.run(id, JSON.stringify(input), now, 0);
				event.run('job.queued', id, now, '{"attempt":0}');
			}),
		take: (id) =>
			write((now) => {
				const row = take.get(now, now + 20_000, id) as { fence: number };
				event.run('job.started', id, now, '{"attempt":1}');
				return { id, fence: row.fence };
			}),
		complete: (id, fence) =>
			write((now) => {
				const due = now + retentionMs;
				complete.run(JSON.stringify(result), now, due, due, due, id, fence);
				event.run('job.completed', id, now, '{"attempt":1}');
			}),
	};
}

/** An empty database with the tables and indexes of the other one. */
function openLike(path: string, schemaFile: string): DatabaseSync {
	const model = new DatabaseSync(schemaFile);
	const statements = model
		.prepare(`SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'`)
		.all() as { sql: string }[];
	model.close();
	const db = new DatabaseSync(path);
	db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
	for (const { sql } of statements) db.exec(sql);
	return db;
}

/** Commits all writes of one turn of the event loop at its end, then resolves their promises. */
function groups(db: DatabaseSync) {
	let members: (() => () => void)[] = [];
	const commit = () => {
		const group = members;
		members = [];
		db.exec('BEGIN IMMEDIATE');
		const answers = group.map((member) => member());
		db.exec('COMMIT');
		for (const answer of answers) answer();
	};
	return <T>(task: (now: number) => T): Promise<T> =>
		new Promise((resolve) => {
			if (members.length === 0) setImmediate(commit);
			members.push(() => {
				const value = task(Date.now());
				return () => resolve(value);
			});
		});
}
