// A process of its own on the file: creates `count` jobs and prints the ids that were acknowledged, then claims what it can.

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
const look = () => store.claimable('video', { limit: 20 });
for (let found = await look(); found.length > 0; found = await look()) {
	for (const { id } of found) {
		const claim = await store.claim(id, name, 60_000);
		if (!claim) continue;
		process.stdout.write(`claimed ${id}\n`);
		await store.complete(id, claim.fence, { result: {}, expiresAt: null });
	}
}
await stop();
