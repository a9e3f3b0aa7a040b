// A separate process on the file: creates `count` jobs and prints the acknowledged ids, then claims jobs.

import type { Clock, JobStore } from '@plinth/core';
import { createBackend, silentLogger } from '@plinth/testing';
import { sqliteJobs } from '../src/index.ts';

const [file = '', name = '', count = '0', mode = 'claim'] = process.argv.slice(2);
const clock: Clock = { now: Date.now, after: () => () => {} };
const { provided: store, stop } = await createBackend<JobStore>(sqliteJobs({ file }), {
	clock,
	log: silentLogger(),
});
const create = async (n: number): Promise<void> => {
	const id = `video_${name}_${String(n).padStart(6, '0')}`;
	await store.create({
		id,
		kind: 'video',
		tenant: 'acme',
		principal: 'key_1',
		model: 'm',
		input: {},
		maxAttempts: 5,
	});
	process.stdout.write(`created ${id}\n`);
};

if (mode === 'forever') {
	for (let n = 0; ; n += 1) await create(n);
}
await Promise.all(Array.from({ length: Number(count) }, (_, n) => create(n)));
const take = () => store.take('video', name, { leaseMs: 60_000, count: 5 });
for (let claims = await take(); claims.length > 0; claims = await take()) {
	for (const { job, fence } of claims) {
		process.stdout.write(`claimed ${job.id}\n`);
		await store.complete(job.id, fence, { result: {}, retentionMs: null });
	}
}
await stop();
