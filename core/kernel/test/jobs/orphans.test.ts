import { eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { plinthError } from '../../src/index.ts';
import { alice, type Machine, machine, untilAborted, withMethods } from './harness.ts';

const never = new Promise<never>(() => {});
const bytes = new Uint8Array([1, 2, 3]);
const media = { contentType: 'image/png' };
const picture = { name: 'picture', mediaType: 'image/png', body: bytes };
const day = 86_400_000;

/** Writes what a process leaves when it is killed between an attachment and its record. */
async function orphan(m: Machine): Promise<string> {
	const id = `work_${m.clock.now().toString(16).padStart(12, '0')}${'0'.repeat(32)}`;
	await m.blobs.put(`jobs/${id}/input/picture`, bytes, media);
	return id;
}

function submit(m: Machine) {
	return m.jobs.submit({
		principal: alice,
		model: 'm',
		attachments: [picture],
		input: () => ({}),
	});
}

describe('bytes without a record', () => {
	test('stay while a create may still be running', async () => {
		const m = await machine({ run: async () => never });
		await orphan(m);
		await m.clock.advance(day - 1);
		await m.housekeeping.sweepOrphans();
		expect(await m.keys()).toHaveLength(1);
	});

	test('are deleted when they are a day old', async () => {
		const m = await machine({ run: async () => never });
		await orphan(m);
		await m.clock.advance(day);
		await m.housekeeping.sweepOrphans();
		expect(await m.keys()).toEqual([]);
	});

	test('are searched right after the start, and every day', async () => {
		const m = await machine({ run: async () => never });
		await orphan(m);
		m.clock.jump(day);
		const stop = new AbortController();
		const kept = m.housekeeping.run(stop.signal);
		await m.clock.advance(0);
		await eventually('gone', async () => (await m.keys()).length === 0);
		await orphan(m);
		await m.clock.advance(day + 1);
		await eventually('gone again', async () => (await m.keys()).length === 0);
		stop.abort();
		await kept;
	});

	test('are deleted also after others that cannot be deleted', async () => {
		const m = await machine({ run: async () => never });
		const stuck = await orphan(m);
		for (let n = 0; n < 3; n += 1) await orphan(m);
		await m.clock.advance(day + 1_000);
		const broken = withMethods(m.blobs, {
			delete: (keys) => (keys[0]?.includes(stuck) ? Promise.reject(new Error('no')) : m.blobs.delete(keys)),
		});
		await m.housekeepingOn(broken).sweepOrphans();
		expect(await m.keys()).toEqual([`jobs/${stuck}/input/picture`]);
	});

	test('are distinguished from those of existing jobs, for any number of jobs', async () => {
		const m = await machine({ run: async () => never }, { settings: { maxPendingPerTenant: 0 } });
		for (let n = 0; n < 600; n += 1) await submit(m);
		const living = await m.keys();
		for (let n = 0; n < 600; n += 1) await orphan(m);
		// Ids made within one millisecond run ahead of the clock.
		await m.clock.advance(day + 1_000);
		await m.housekeeping.sweepOrphans();
		expect(await m.keys()).toEqual(living);
	});

	test('are left to the sweep of records while the store knows the removed job', async () => {
		const m = await machine({ run: async () => never });
		const { job } = await submit(m);
		await m.store.remove('a', job.id);
		await m.clock.advance(day);
		await m.housekeeping.sweepOrphans();
		expect(await m.keys()).toHaveLength(1);
		await m.housekeeping.sweep();
		expect(await m.keys()).toEqual([]);
	});

	test('include incomplete uploads: housekeeping calls the sweep of the blob store', async () => {
		let sweeps = 0;
		const sweep = async () => {
			sweeps += 1;
		};
		const m = await machine({ run: async () => never }, { blobs: (inner) => withMethods(inner, { sweep }) });
		await m.housekeeping.sweepOrphans();
		expect(sweeps).toBe(1);
	});

	test('that are not under the id of a job are never deleted', async () => {
		const m = await machine({ run: async () => never });
		const keys = ['files/a', 'jobs/by-hand/x', 'jobs/work_1/x'];
		for (const key of keys) await m.blobs.put(key, bytes, media);
		await m.clock.advance(1_000 * day);
		await m.housekeeping.sweepOrphans();
		expect(await m.keys()).toEqual(keys);
	});

	test('are never those of a create that succeeds: a create that takes too long is refused', async () => {
		let arrive: () => void = () => {};
		const slow = new Promise<void>((resolve) => {
			arrive = resolve;
		});
		const m = await machine({ run: async () => never });
		async function* body() {
			yield bytes;
			await slow;
		}
		const submission = m.jobs.submit({
			principal: alice,
			model: 'm',
			attachments: [{ ...picture, body: body() }],
			input: () => ({}),
		});
		await m.clock.advance(day / 2 + 1);
		arrive();
		await expect(submission).rejects.toMatchObject({ code: 'E_DEADLINE' });
		expect([await m.keys(), await m.store.pending('work')]).toEqual([[], 0]);
	});
});

describe('the bytes of a failed job', () => {
	test('are deleted by the next sweep when its attempts are used up', async () => {
		const m = await machine({ run: async () => never, maxAttempts: 1 });
		const { job } = await submit(m);
		await m.take();
		await m.clock.advance(20_000);
		expect(await m.take()).toBeUndefined();
		expect((await m.jobs.get('a', job.id)).error?.code).toBe('attempts_exhausted');
		await m.housekeeping.sweep();
		expect(await m.keys()).toEqual([]);
		expect((await m.jobs.get('a', job.id)).status).toBe('failed');
	});

	test('are deleted by the next sweep when the worker was killed before it could delete them', async () => {
		const m = await machine({ run: async () => never });
		const { job } = await submit(m);
		const claim = await m.take();
		await m.blobs.put(`jobs/${job.id}/${claim?.fence}/half`, bytes, media);
		await m.store.fail(job.id, claim?.fence ?? 0, { code: 'model_error', message: 'no' });
		await m.housekeeping.sweep();
		expect(await m.keys()).toEqual([]);
	});
});

describe('the bytes of a lost attempt', () => {
	test('are deleted after the removal of the job when the lease has lapsed', async () => {
		const m = await machine({ run: async () => never });
		const { job } = await submit(m);
		await m.take();
		await m.jobs.remove('a', job.id);
		await m.housekeeping.sweep();
		await m.blobs.put(`jobs/${job.id}/1/video`, bytes, media);
		await m.clock.advance(20_000);
		await m.housekeeping.sweep();
		expect([await m.keys(), await m.store.known([job.id])]).toEqual([[], []]);
	});

	test('are deleted when the next attempt completes, and the input stays for remixes', async () => {
		const m = await machine({
			run: async (_job, run) => {
				await m.blobs.put(run.blobKey('video'), bytes, media);
				return { result: {} };
			},
		});
		const { job } = await submit(m);
		await m.take();
		await m.blobs.put(`jobs/${job.id}/1/video`, bytes, media);
		await m.clock.advance(20_000);
		m.worker.start();
		await eventually('the attempt has ended', async () => {
			return (await m.jobs.get('a', job.id)).status === 'completed' && m.worker.running === 0;
		});
		expect((await m.keys()).sort()).toEqual([`jobs/${job.id}/2/video`, `jobs/${job.id}/input/picture`]);
	});
});

describe('the queue of a tenant', () => {
	const one = { settings: { maxPendingPerTenant: 1 } };

	test('refuses a job when it is full, and stores none of its bytes', async () => {
		const m = await machine({ run: async () => never }, one);
		await submit(m);
		const kept = await m.keys();
		await expect(submit(m)).rejects.toMatchObject({
			code: 'E_QUEUE_FULL',
			headers: { 'retry-after': '30' },
		});
		expect(await m.keys()).toEqual(kept);
	});

	test('can be checked before a body is read', async () => {
		const m = await machine({ run: async () => never }, one);
		await m.jobs.checkQueue(alice, { retry: 0 });
		await submit(m);
		await expect(m.jobs.checkQueue(alice, { retry: 0 })).rejects.toMatchObject({
			code: 'E_QUEUE_FULL',
		});
	});

	test.each([
		['with a key', { key: 'k', retry: 0 }],
		['that says it is a retry', { retry: 1 }],
	])('accepts a request %s, because it may be a repeat', async (_sentence, idempotency) => {
		const m = await machine({ run: async () => never }, one);
		await submit(m);
		await m.jobs.checkQueue(alice, idempotency);
	});

	test('is unlimited when the setting is 0', async () => {
		const m = await machine({ run: async () => never }, { settings: { maxPendingPerTenant: 0 } });
		await submit(m);
		await m.jobs.checkQueue(alice, { retry: 0 });
		await submit(m);
	});
});

describe('an interrupted sweep', () => {
	test('between bytes and record leaves no readable content, and the next one finishes', async () => {
		let isCut = true;
		const m = await machine(
			{
				run: async (_job, run) => {
					await m.blobs.put(run.blobKey('video'), bytes, media);
					return { result: {}, retentionMs: 1_000 };
				},
			},
			{
				store: (store) =>
					withMethods(store, {
						swept: (items) => (isCut ? Promise.reject(plinthError('E_STORE_UNAVAILABLE')) : store.swept(items)),
					}),
			},
		);
		m.worker.start();
		const { job } = await submit(m);
		await eventually('completed', async () => (await m.jobs.get('a', job.id)).status === 'completed');
		await m.clock.advance(1_000);
		await expect(m.housekeeping.sweep()).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		expect(await m.keys()).toEqual([]);
		isCut = false;
		expect(await m.store.sweep(10)).toHaveLength(1);
		await m.housekeeping.sweep();
		expect(await m.store.sweep(10)).toEqual([]);
	});
});

describe('a completed attempt', () => {
	test('does not fail because of earlier bytes that cannot be deleted', async () => {
		const m = await machine(
			{ run: async (_job, run) => (run.resume ? { result: {} } : untilAborted(run)) },
			{ blobs: (blobs) => withMethods(blobs, { delete: () => Promise.reject(new Error('no')) }) },
		);
		const { job } = await submit(m);
		const claim = await m.take();
		await m.store.heartbeat(job.id, claim?.fence ?? 0, { checkpoint: 'x' });
		await m.blobs.put(`jobs/${job.id}/1/video`, bytes, media);
		await m.clock.advance(20_000);
		m.worker.start();
		await eventually('the attempt has ended', async () => {
			return (await m.jobs.get('a', job.id)).status === 'completed' && m.worker.running === 0;
		});
	});
});

describe('blobs of another job store', () => {
	test('are swept by neither round until the owner blob is deleted', async () => {
		const errorMessages: unknown[] = [];
		const production = await machine({ run: async () => never });
		await production.housekeeping.sweepOrphans();
		const staging = await machine({ run: async () => never }, { blobs: () => production.blobs, errorMessages });
		staging.store.identity = async () => 'staging';
		const old = await orphan(production);
		const { job } = await submit(staging);
		await staging.store.remove('a', job.id);
		await staging.clock.advance(day + 1_000);
		await staging.housekeeping.sweepOrphans();
		await staging.housekeeping.sweep();
		expect((await production.keys()).map((key) => key.split('/')[1]).sort()).toEqual([old, job.id].sort());
		expect(errorMessages).toEqual(Array(2).fill('the blobs belong to another job store; nothing is swept'));
		await production.blobs.delete(['store-identity']);
		await staging.housekeeping.sweepOrphans();
		await staging.housekeeping.sweep();
		expect(await production.keys()).toEqual([]);
	});

	test('are distinguished from those of another handle of the same store', async () => {
		const m = await machine({ run: async () => never });
		await m.housekeeping.sweepOrphans();
		await orphan(m);
		await m.clock.advance(day);
		await m.housekeepingOn(m.blobs).sweepOrphans();
		expect(await m.keys()).toEqual([]);
	});
});
