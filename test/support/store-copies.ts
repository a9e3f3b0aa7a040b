import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobDump, NewJob, RecordDump } from '@plinth/core';
import { openStores } from '../../cli/src/copy/stores.ts';
import { type Exit, plinth, root } from './cli.ts';

/** Backends as a config file refers to them. */
export type NamedBackends = Readonly<Record<string, { readonly use: string; readonly with: Readonly<object> }>>;

/** SQLite stores and a blob folder below one folder. */
export function localStores(dir: string): NamedBackends {
	const file = join(dir, 'plinth.db');
	return {
		jobs: { use: '@plinth/sqlite#sqliteJobs', with: { file } },
		records: { use: '@plinth/sqlite#sqliteRecords', with: { file } },
		blobs: { use: '@plinth/fs#fsBlobs', with: { dir: join(dir, 'blobs') } },
	};
}

/** Writes a config with these backends, and returns its path. */
export async function writeConfig(folder: string, name: string, backends: NamedBackends): Promise<string> {
	const file = join(folder, `${name}.json`);
	await writeFile(file, JSON.stringify({ extends: 'plinth:embedded', backends }));
	return file;
}

/** The contents of all stores of a config. */
export interface Contents {
	readonly jobs: readonly JobDump[];
	readonly records: readonly RecordDump[];
	/** The content type and the SHA-256 digest of the bytes, by key. */
	readonly blobs: Readonly<Record<string, string>>;
}

/** Reads the contents of all stores of a config. */
export async function readContents(config: string): Promise<Contents> {
	const stores = await openStores(config);
	try {
		const [jobs, records, blobs]: [JobDump[], RecordDump[], [string, string][]] = [[], [], []];
		for await (const part of stores.jobs.dump()) jobs.push(part);
		for await (const record of stores.records.dump()) records.push(record);
		for await (const { key } of stores.blobs.list('')) {
			const found = await stores.blobs.get(key);
			const hash = createHash('sha256');
			for await (const chunk of found?.body ?? []) hash.update(chunk);
			blobs.push([key, `${found?.contentType} ${hash.digest('hex')}`]);
		}
		return { jobs, records, blobs: Object.fromEntries(blobs.sort()) };
	} finally {
		await stores.close();
	}
}

/**
 * Fills the stores of a config with `count` jobs and records, some of them completed, and with blobs of up to 2 MB.
 * Calls with different names add different entries.
 */
export async function fillStores(config: string, count: number, blobs: number, name = 'first'): Promise<void> {
	const { jobs, records, blobs: bytes, close } = await openStores(config);
	try {
		const created = Array.from({ length: count }, (_, n) =>
			jobs.create(newJob(n, name), { idempotency: idempotencyOf(`${name} ${n}`) }),
		);
		await Promise.all(created);
		const claims = await jobs.take('video', 'worker', { leaseMs: 60_000, count: 20 });
		for (const [n, { job, fence }] of claims.entries()) {
			if (n % 2) await jobs.complete(job.id, fence, { result: { n }, retentionMs: 3_600_000 });
			else await jobs.heartbeat(job.id, fence, { progress: 0.5, checkpoint: `half of ${n}` });
		}
		const ref = (n: number) => ({ tenant: `tenant-${n % 3}`, collection: 'tests.things' });
		const put = Array.from({ length: count }, (_, n) =>
			records.put(ref(n), `${name}-${n}`, { n }, { index: `${n % 5}` }),
		);
		await Promise.all(put);
		for (let n = 0; n < blobs; n += 1) {
			const body = Buffer.alloc(1 + Math.round((n / blobs) * 2_000_000), `bytes of ${n} `);
			await bytes.put(`jobs/video_${name}${n}/1/video.mp4`, body, {
				contentType: n % 2 ? 'video/mp4' : 'text/plain; charset=ü',
			});
		}
	} finally {
		await close();
	}
}

const newJob = (n: number, name: string): NewJob => ({
	id: `video_${name}${String(n).padStart(8, '0')}`,
	kind: 'video',
	tenant: `tenant-${n % 3}`,
	principal: 'key_1',
	model: 'quick',
	input: { prompt: `boat ${n}` },
	maxAttempts: 3,
	...(n % 4 === 0 && { callback: { url: 'https://example.com/hook', secret: null } }),
});

const idempotencyOf = (name: string) => ({ key: name, fingerprint: name, retry: 0 });

/** Runs `plinth copy` in a process that is killed during one of its writes. See `killed-copy.config.ts`. */
export function runKilledCopy(from: string, to: string, killAt: number, cwd: string): Promise<Exit> {
	const config = join(root, 'test/support/killed-copy.config.ts');
	const env = { TEST_TARGET: to, TEST_KILL_AT: String(killAt) };
	return plinth(['copy', '--from', from, '--to', config], { cwd, env }).exit;
}
