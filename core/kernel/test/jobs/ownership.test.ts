import { eventually, manualClock, silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { jobSettings } from '../../src/contract/jobs/settings.ts';
import { type Claim, plinthError } from '../../src/index.ts';
import { LeaseHeartbeat } from '../../src/jobs/lease-heartbeat.ts';
import { alice, machine, untilAborted, withMethods } from './harness.ts';

const never = new Promise<never>(() => {});
const unreachable = () => Promise.reject(plinthError('E_STORE_UNAVAILABLE'));
const media = { contentType: 'video/mp4' };

describe('bytes', () => {
	test('of an attempt stay when it is unknown whether the store has completed the job', async () => {
		const m = await machine(
			{
				run: async (_job, run) => {
					await m.blobs.put(run.blobKey('video'), new Uint8Array([1]), media);
					return { result: {} };
				},
			},
			{ store: (store) => withMethods(store, { complete: unreachable, heartbeat: unreachable }) },
		);
		m.worker.start();
		await m.submit();
		await eventually('the outcome is given up', async () => {
			await m.clock.advance(1_000);
			await m.worker.close();
			return m.worker.running === 0;
		});
		expect(await m.keys()).toHaveLength(1);
	});

	test('of earlier attempts are deleted before the record is completed: a kill afterwards would leave them', async () => {
		let atTheRecord: readonly string[] | undefined;
		const m = await machine(
			{ run: async (_job, run) => (run.resume ? { result: {} } : untilAborted(run)) },
			{
				store: (store) =>
					withMethods(store, {
						async complete(...args) {
							atTheRecord = await m.keys();
							return store.complete(...args);
						},
					}),
			},
		);
		const id = await m.submit();
		const claim = await m.take();
		await m.store.heartbeat(id, claim?.fence ?? 0, { checkpoint: 'x' });
		await m.blobs.put(`jobs/${id}/1/video`, new Uint8Array([1]), media);
		await m.clock.advance(20_000);
		m.worker.start();
		await eventually('completed', async () => (await m.jobs.get('a', id)).status === 'completed');
		expect(atTheRecord).toEqual([]);
	});

	test('of a new job stay when it is unknown whether its record was written', async () => {
		const m = await machine(
			{ run: async () => never },
			{ store: (store) => withMethods(store, { create: unreachable, get: unreachable }) },
		);
		const submission = m.jobs.submit({
			principal: alice,
			model: 'm',
			attachments: [{ name: 'picture', mediaType: 'image/png', body: new Uint8Array([1]) }],
			input: () => ({}),
		});
		await expect(submission).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		expect(await m.keys()).toHaveLength(1);
	});
});

describe('an attempt that has lost its job', () => {
	/** An attempt with a checkpoint, whose job another worker has claimed in the meantime. */
	async function lost(after: 'heartbeat' | 'timeout' | 'checkpoint') {
		const stopped: (string | null)[] = [];
		const continueWork = Promise.withResolvers<void>();
		const m = await machine(
			{
				run: async (_job, run) => {
					await run.checkpoint('upstream-7');
					if (after !== 'checkpoint') return untilAborted(run);
					await continueWork.promise;
					await run.checkpoint('upstream-7');
					return { result: {} };
				},
				cancel: async ({ checkpoint }) => {
					stopped.push(checkpoint);
				},
			},
			after === 'timeout' ? { settings: { maxRunMs: 1 } } : {},
		);
		m.worker.start();
		const id = await m.submit();
		await eventually('a checkpoint', async () => (await m.jobs.get('a', id)).checkpoint !== null);
		void m.worker.close();
		m.clock.jump(60_000);
		expect((await m.take())?.job.id).toBe(id);
		continueWork.resolve();
		await eventually('the attempt has ended', async () => {
			await m.clock.advance(1_000);
			return m.worker.running === 0;
		});
		return { stopped, status: (await m.jobs.get('a', id)).status };
	}

	test.each(['heartbeat', 'timeout', 'checkpoint'] as const)(
		'leaves the upstream work to the new owner (the loss is detected by a %s)',
		async (after) => {
			expect(await lost(after)).toEqual({ stopped: [], status: 'in_progress' });
		},
	);
});

describe('a worker', () => {
	test('does not run a job twice at once when the lease of its own attempt has lapsed', async () => {
		let runs = 0;
		const m = await machine({
			run: async (_job, run) => {
				runs += 1;
				return untilAborted(run);
			},
		});
		m.worker.start();
		const id = await m.submit();
		await eventually('it runs', () => m.worker.running === 1);
		m.clock.jump(60_000);
		for (let second = 0; second < 4; second += 1) await m.clock.advance(1_000);
		expect([runs, (await m.jobs.get('a', id)).attempt]).toEqual([1, 1]);
	});

	test('starts no attempt of a job that it receives after it was interrupted', async () => {
		const answer = Promise.withResolvers<void>();
		let runs = 0;
		const m = await machine(
			{
				run: async () => {
					runs += 1;
					return { result: {} };
				},
			},
			{
				store: (store) =>
					withMethods(store, {
						async take(...args): Promise<readonly Claim[]> {
							const claims = await store.take(...args);
							await answer.promise;
							return claims;
						},
					}),
			},
		);
		const id = await m.submit();
		m.worker.start();
		const interrupted = m.worker.interrupt();
		answer.resolve();
		await interrupted;
		expect(runs).toBe(0);
		expect(await m.jobs.get('a', id)).toMatchObject({ status: 'queued', attempt: 0 });
	});

	test('returns all other jobs that it receives after it was interrupted when one cannot be returned', async () => {
		const answer = Promise.withResolvers<void>();
		const refused = new Set<string>();
		const m = await machine(
			{ run: async () => never },
			{
				store: (store) =>
					withMethods(store, {
						async take(...args): Promise<readonly Claim[]> {
							const claims = await store.take(...args);
							await answer.promise;
							return claims;
						},
						release: (id, fence) => (refused.has(id) ? unreachable() : store.release(id, fence)),
					}),
			},
		);
		const [first, second] = [await m.submit(), await m.submit()];
		refused.add(first);
		m.worker.start();
		const interrupted = m.worker.interrupt();
		answer.resolve();
		await interrupted;
		expect(await m.jobs.get('a', first)).toMatchObject({ status: 'in_progress' });
		expect(await m.jobs.get('a', second)).toMatchObject({ status: 'queued', attempt: 0 });
	});

	test('polls every second, and claims jobs without a notification', async () => {
		const m = await machine({ run: async () => ({ result: {} }) });
		m.worker.start();
		const id = 'work_1';
		const owner = { kind: 'work', tenant: 'a', principal: 'p', model: 'm' };
		await m.store.create({ id, ...owner, input: {}, maxAttempts: 1 });
		await m.clock.advance(999);
		expect((await m.jobs.get('a', id)).status).toBe('queued');
		await m.clock.advance(1);
		await eventually('it is done', async () => (await m.jobs.get('a', id)).status === 'completed');
	});

	test('leaves jobs of models that it does not have to other workers', async () => {
		let names = ['other'];
		const slots = () => new Map(names.map((name) => [name, undefined]));
		const models = { slots, reserve: () => Promise.resolve(false) };
		const m = await machine({ run: async () => ({ result: {} }), models });
		m.worker.start();
		const id = await m.submit();
		await m.clock.advance(5_000);
		expect((await m.jobs.get('a', id)).status).toBe('queued');
		names = ['m'];
		await m.clock.advance(1_000);
		await eventually('it is done', async () => (await m.jobs.get('a', id)).status === 'completed');
	});

	test('runs at most as many jobs of a kind at once as the kind allows', async () => {
		const m = await machine({
			run: async (_job, run) => untilAborted(run),
			settings: { concurrency: 3, maxPendingPerTenant: 4 },
		});
		m.worker.start();
		for (let n = 0; n < 4; n += 1) await m.submit();
		await expect(m.submit()).rejects.toMatchObject({ code: 'E_QUEUE_FULL' });
		await eventually('three run', () => m.worker.running === 3);
		await m.clock.advance(3_000);
		expect(m.worker.running).toBe(3);
	});
});

describe('a kind that decides when a failed attempt is retried', () => {
	test('retries at that time, and fails when it returns no time', async () => {
		const waits = [60_000, undefined];
		const m = await machine({
			run: () => Promise.reject(new Error('503')),
			retryInMs: (error, { attempt }) => {
				expect(error).toMatchObject({ message: '503' });
				return waits[attempt - 1];
			},
		});
		m.worker.start();
		const id = await m.submit();
		await eventually('the first is over', async () => {
			const { status, attempt } = await m.jobs.get('a', id);
			return status === 'queued' && attempt === 1;
		});
		await m.clock.advance(59_000);
		expect((await m.jobs.get('a', id)).attempt).toBe(1);
		await m.clock.advance(1_000);
		await eventually('it fails', async () => (await m.jobs.get('a', id)).status === 'failed');
		expect((await m.jobs.get('a', id)).attempt).toBe(2);
	});

	test('may also decide it by the outcome', async () => {
		let runs = 0;
		const m = await machine({
			run: async () => (++runs === 1 ? { retryInMs: 60_000 } : { result: {} }),
		});
		m.worker.start();
		const id = await m.submit();
		await eventually('the first is over', async () => {
			const { status, attempt } = await m.jobs.get('a', id);
			return status === 'queued' && attempt === 1;
		});
		await m.clock.advance(59_000);
		expect(runs).toBe(1);
		await m.clock.advance(1_000);
		await eventually('it ends', async () => (await m.jobs.get('a', id)).status === 'completed');
	});

	test('fails the job when its last attempt asks for another, announces that and deletes all bytes', async () => {
		const m = await machine({ maxAttempts: 1, run: async () => ({ retryInMs: 60_000 }) });
		const types: string[] = [];
		m.bus.subscribe({}, ({ type }) => void types.push(type));
		const { job } = await m.jobs.submit({
			principal: alice,
			model: 'm',
			attachments: [{ name: 'picture', mediaType: 'image/png', body: new Uint8Array([1]) }],
			input: () => ({}),
		});
		m.worker.start();
		await eventually('the attempt has ended', async () => {
			return (await m.jobs.get('a', job.id)).status === 'failed' && m.worker.running === 0;
		});
		expect((await m.jobs.get('a', job.id)).error?.code).toBe('attempts_exhausted');
		expect(types).toContain('job.failed');
		expect(await m.keys()).toEqual([]);
	});

	test('is not called when the job was cancelled', async () => {
		const m = await machine({ run: async (_job, run) => untilAborted(run), retryInMs: () => 1 });
		m.worker.start();
		const id = await m.submit();
		await eventually('it runs', () => m.worker.running === 1);
		await m.jobs.cancel('a', id);
		await eventually('it fails', async () => (await m.jobs.get('a', id)).status === 'failed');
		expect((await m.jobs.get('a', id)).error?.code).toBe('cancelled');
	});
});

test('jobs of another kind are not found by their id', async () => {
	const m = await machine({ run: async () => never });
	const owner = { tenant: 'a', principal: 'p', model: 'm', input: {}, maxAttempts: 1 };
	await m.store.create({ id: 'other_1', kind: 'other', ...owner });
	const unknown = { code: 'E_JOB_NOT_FOUND' };
	await expect(m.jobs.get('a', 'other_1')).rejects.toMatchObject(unknown);
	await expect(m.jobs.cancel('a', 'other_1')).rejects.toMatchObject(unknown);
	await expect(m.jobs.remove('a', 'other_1')).rejects.toMatchObject(unknown);
	expect((await m.store.get('a', 'other_1'))?.status).toBe('queued');
});

test('a heartbeat that is confirmed late does not revive a lapsed lease', async () => {
	const clock = manualClock();
	const settings = jobSettings.parse({ leaseMs: 10_000, heartbeatMs: 5_000 });
	let lapses = 0;
	const heartbeat = new LeaseHeartbeat(
		{ clock, log: silentLogger(), settings },
		{
			send: () => never,
			lapsed: () => {
				lapses += 1;
			},
			progressed: () => {},
		},
	);
	heartbeat.start();
	await clock.advance(9_999);
	expect(heartbeat.hasLapsed).toBe(false);
	await clock.advance(1);
	heartbeat.confirm();
	await clock.advance(10_000);
	expect([heartbeat.hasLapsed, lapses]).toEqual([true, 1]);
	heartbeat.stop();
});
