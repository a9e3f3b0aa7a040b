import { eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { type JobRun, modelError, plinthError } from '../../src/index.ts';
import { alice, bob, machine, untilAborted, withMethods } from './harness.ts';

const never = new Promise<never>(() => {});

describe('a submitted job', () => {
	test('runs, and its result, expiry and progress are recorded', async () => {
		const m = await machine({
			run: async () => ({ result: { answer: 42 }, retentionMs: 1_000 }),
		});
		m.worker.start();
		const id = await m.submit();
		await eventually('completed', async () => (await m.jobs.get('a', id)).status === 'completed');
		expect(await m.jobs.get('a', id)).toMatchObject({
			progress: 1,
			attempt: 1,
			result: { answer: 42 },
			expiresAt: m.clock.now() + 1_000,
		});
	});

	test('is unknown to another tenant', async () => {
		const m = await machine({ run: async () => never });
		const id = await m.submit(alice);
		await expect(m.jobs.get(bob.tenant, id)).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
		await expect(m.jobs.remove(bob.tenant, id)).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
	});

	test('stores its attachments before the record, under its own prefix', async () => {
		const m = await machine({ run: async () => never });
		const { job } = await m.jobs.submit({
			principal: alice,
			model: 'm',
			attachments: [{ name: 'picture', mediaType: 'image/png', body: new Uint8Array([1, 2]) }],
			input: ({ picture }) => ({ picture: picture ?? null }),
		});
		expect(job.input).toMatchObject({ picture: { key: `jobs/${job.id}/input/picture`, size: 2 } });
		expect(await m.keys()).toEqual([`jobs/${job.id}/input/picture`]);
	});

	test('leaves no attachment behind when the record cannot be written', async () => {
		const full = () => Promise.reject(plinthError('E_STORE_FULL'));
		const m = await machine({ run: async () => never }, { store: (store) => withMethods(store, { create: full }) });
		const submission = m.jobs.submit({
			principal: alice,
			model: 'm',
			attachments: [{ name: 'picture', mediaType: 'image/png', body: new Uint8Array([1]) }],
			input: () => ({}),
		});
		await expect(submission).rejects.toMatchObject({ code: 'E_STORE_FULL' });
		expect(await m.keys()).toEqual([]);
	});

	test('leaves no attachment behind when it is a replay', async () => {
		const m = await machine({ run: async () => never });
		const submit = () =>
			m.jobs.submit({
				principal: alice,
				model: 'm',
				attachments: [{ name: 'picture', mediaType: 'image/png', body: new Uint8Array([1]) }],
				input: () => ({}),
				idempotency: { key: 'k', fingerprint: 'f', retry: 0 },
			});
		const first = await submit();
		const second = await submit();
		expect([second.replayed, second.job.id]).toEqual([true, first.job.id]);
		expect(await m.keys()).toEqual([`jobs/${first.job.id}/input/picture`]);
	});
});

describe('a job that fails', () => {
	test('shows the message of a coded error', async () => {
		const m = await machine({ run: () => Promise.reject(modelError('The picture is too dark.')) });
		m.worker.start();
		const id = await m.submit();
		await eventually('failed', async () => (await m.jobs.get('a', id)).status === 'failed');
		expect((await m.jobs.get('a', id)).error).toEqual({
			code: 'model_error',
			message: expect.stringContaining('The picture is too dark.'),
		});
	});

	test('logs the message of any other error and does not show it', async () => {
		const m = await machine({ run: () => Promise.reject(new Error('password=hunter2')) });
		m.worker.start();
		const id = await m.submit();
		await eventually('failed', async () => (await m.jobs.get('a', id)).status === 'failed');
		expect(JSON.stringify(await m.jobs.get('a', id))).not.toContain('hunter2');
	});

	test.each([
		['nothing', undefined],
		['no result', {}],
		['what is no JSON', { result: { big: 1n } }],
	])('ends when its work returns %s, and does not run for ever', async (_sentence, outcome) => {
		const m = await machine({ run: async () => outcome as never });
		m.worker.start();
		const id = await m.submit();
		await eventually('failed', async () => (await m.jobs.get('a', id)).status === 'failed');
		expect((await m.jobs.get('a', id)).error?.code).toBe('model_error');
	});

	test('because of an unreachable store is retried later, with its inputs', async () => {
		let attempts = 0;
		const m = await machine({
			run: async () => {
				attempts += 1;
				if (attempts < 3) throw plinthError('E_STORE_UNAVAILABLE');
				return { result: { done: true } };
			},
		});
		const { job } = await m.jobs.submit({
			principal: alice,
			model: 'm',
			attachments: [{ name: 'picture', mediaType: 'image/png', body: new Uint8Array([1]) }],
			input: () => ({}),
		});
		m.worker.start();
		await eventually('the first attempt is over', async () => {
			const { status } = await m.jobs.get('a', job.id);
			return attempts === 1 && status === 'queued';
		});
		expect(await m.keys()).toEqual([`jobs/${job.id}/input/picture`]);
		for (const wait of [5_000, 10_000]) {
			await m.clock.advance(wait);
			await eventually('the next attempt is over', async () => {
				const { status } = await m.jobs.get('a', job.id);
				return status !== 'in_progress' && attempts === (wait === 5_000 ? 2 : 3);
			});
		}
		expect(await m.jobs.get('a', job.id)).toMatchObject({ status: 'completed', attempt: 3 });
	});

	test('because of an unreachable store at every attempt fails in the end', async () => {
		const m = await machine({
			maxAttempts: 1,
			run: async () => {
				throw plinthError('E_STORE_UNAVAILABLE');
			},
		});
		const id = await m.submit(alice);
		m.worker.start();
		await eventually('it has failed', async () => (await m.jobs.get('a', id)).status === 'failed');
		expect((await m.jobs.get('a', id)).error?.code).toBe('storage_unavailable');
	});

	test('leaves no bytes of the attempt', async () => {
		const m = await machine({
			run: async (_job, run) => {
				await m.blobs.put(run.blobKey('half'), new Uint8Array([1]), { contentType: 'video/mp4' });
				throw new Error('in the middle');
			},
		});
		m.worker.start();
		const id = await m.submit();
		await eventually('failed', async () => (await m.jobs.get('a', id)).status === 'failed');
		expect(await m.keys()).toEqual([]);
	});

	test('ends as job_timeout when it runs too long', async () => {
		const m = await machine({ run: async (_job, run) => untilAborted(run) });
		m.worker.start();
		const id = await m.submit();
		await eventually('running', () => m.worker.running === 1);
		for (let hour = 0; hour < 3_605; hour += 5) await m.clock.advance(5_000);
		await eventually('failed', async () => (await m.jobs.get('a', id)).status === 'failed');
		expect((await m.jobs.get('a', id)).error?.code).toBe('job_timeout');
	});
});

describe('while a job runs', () => {
	test('its progress is written at most once a second, and never decreases', async () => {
		const seen: number[] = [];
		let run: JobRun | undefined;
		const m = await machine(
			{
				run: (_job, surroundings) => {
					run = surroundings;
					return untilAborted(surroundings);
				},
			},
			{
				store: (store) =>
					withMethods(store, {
						heartbeat: (id, fence, update) => {
							if (update?.progress) seen.push(update.progress);
							return store.heartbeat(id, fence, update);
						},
					}),
			},
		);
		m.worker.start();
		await m.submit();
		await eventually('running', () => run !== undefined);
		for (const fraction of [0.1, 0.2, 0.15]) run?.progress(fraction);
		await m.clock.advance(1_000);
		await eventually('written', () => seen.length === 1);
		expect(seen).toEqual([0.2]);
	});

	test('its lease is extended beyond its length', async () => {
		const m = await machine({ run: async (_job, run) => untilAborted(run) });
		m.worker.start();
		const id = await m.submit();
		await eventually('running', () => m.worker.running === 1);
		for (let second = 0; second < 60; second += 1) await m.clock.advance(1_000);
		expect(await m.store.take('work', 'other', { leaseMs: 1, count: 10 })).toEqual([]);
		expect(await m.jobs.get('a', id)).toMatchObject({ status: 'in_progress', attempt: 1 });
	});

	test('removing it aborts the work at once, and no write restores it', async () => {
		let aborted = false;
		const m = await machine({
			run: async (_job, run) => {
				await untilAborted(run).catch(() => {
					aborted = true;
				});
				await m.blobs.put(run.blobKey('late'), new Uint8Array([1]), { contentType: 'video/mp4' });
				return { result: {} };
			},
		});
		m.worker.start();
		const id = await m.submit();
		await eventually('running', () => m.worker.running === 1);
		await m.jobs.remove('a', id);
		await eventually('the attempt has ended', () => m.worker.running === 0);
		expect(aborted).toBe(true);
		await expect(m.jobs.get('a', id)).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
		await m.clock.advance(60_000);
		await m.housekeeping.sweep();
		expect(await m.keys()).toEqual([]);
	});

	test('changing the clock, forwards or backwards, neither ends the work nor loses its result', async () => {
		for (const ms of [2 * 3_600_000, -2 * 3_600_000]) {
			let finish: () => void = () => {};
			const m = await machine({
				run: async (_job, { signal }) => {
					await new Promise<void>((resolve) => {
						finish = resolve;
					});
					return { result: { isAborted: signal.aborted } };
				},
			});
			m.worker.start();
			const id = await m.submit();
			await eventually('running', () => m.worker.running === 1);
			m.clock.jump(ms);
			for (let second = 0; second < 60; second += 1) await m.clock.advance(1_000);
			finish();
			await eventually('ended', () => m.worker.running === 0);
			expect(await m.jobs.get('a', id)).toMatchObject({
				status: 'completed',
				attempt: 1,
				result: { isAborted: false },
			});
		}
	});

	test('a worker that has lost its lease writes nothing', async () => {
		let finish: () => void = () => {};
		const m = await machine({
			run: async () => {
				await new Promise<void>((resolve) => {
					finish = resolve;
				});
				return { result: { by: 'zombie' } };
			},
		});
		m.worker.start();
		const id = await m.submit();
		await eventually('running', () => m.worker.running === 1);
		m.clock.jump(60_000);
		const second = await m.take();
		finish();
		await eventually('the zombie has ended', () => m.worker.running === 0);
		expect(await m.jobs.get('a', id)).toMatchObject({
			status: 'in_progress',
			result: null,
			fence: second?.fence,
		});
	});

	test('a checkpoint reaches the next attempt', async () => {
		const resumes: (string | undefined)[] = [];
		const m = await machine({
			run: async (_job, run) => {
				resumes.push(run.resume);
				if (run.resume) return { result: {} };
				await run.checkpoint('upstream-7');
				return untilAborted(run);
			},
		});
		m.worker.start();
		const id = await m.submit();
		await eventually('a checkpoint', async () => (await m.jobs.get('a', id)).checkpoint === 'upstream-7');
		await m.worker.close();
		await m.worker.interrupt();
		m.worker.start();
		await eventually('completed', async () => (await m.jobs.get('a', id)).status === 'completed');
		expect(resumes).toEqual([undefined, 'upstream-7']);
		expect((await m.jobs.get('a', id)).attempt).toBe(1);
	});

	test('work that ignores its signal is abandoned, and its job returns to the queue', async () => {
		const m = await machine({ run: async () => never });
		m.worker.start();
		const id = await m.submit();
		await eventually('running', () => m.worker.running === 1);
		await m.worker.close();
		const interrupted = m.worker.interrupt();
		await m.clock.advance(2_000);
		await interrupted;
		expect(await m.jobs.get('a', id)).toMatchObject({ status: 'queued', attempt: 0 });
	});

	test('a store that is unreachable for a moment does not lose the result', async () => {
		let refusals = 3;
		const m = await machine(
			{ run: async () => ({ result: { kept: true } }) },
			{
				store: (store) =>
					withMethods(store, {
						complete: (...args) =>
							refusals-- > 0 ? Promise.reject(plinthError('E_STORE_UNAVAILABLE')) : store.complete(...args),
					}),
			},
		);
		m.worker.start();
		const id = await m.submit();
		await eventually('running', () => m.worker.running === 1);
		await eventually('completed', async () => {
			await m.clock.advance(500);
			return (await m.jobs.get('a', id)).status === 'completed';
		});
		expect((await m.jobs.get('a', id)).result).toEqual({ kept: true });
	});
});

describe('when the store commits and its response is lost', () => {
	const lost = <T extends unknown[], R>(method: (...args: T) => Promise<R>) => {
		let isFirst = true;
		return async (...args: T): Promise<R> => {
			const answer = await method(...args);
			if (!isFirst) return answer;
			isFirst = false;
			throw plinthError('E_STORE_UNAVAILABLE');
		};
	};

	test('a completed job keeps its bytes', async () => {
		const m = await machine(
			{
				run: async (_job, run) => {
					await m.blobs.put(run.blobKey('video'), new Uint8Array([1]), {
						contentType: 'video/mp4',
					});
					return { result: {} };
				},
			},
			{ store: (store) => withMethods(store, { complete: lost(store.complete.bind(store)) }) },
		);
		m.worker.start();
		const id = await m.submit();
		await eventually('the attempt has ended', async () => {
			await m.clock.advance(500);
			return m.worker.running === 0 && (await m.jobs.get('a', id)).status === 'completed';
		});
		expect(await m.keys()).toHaveLength(1);
	});

	test('a created job keeps its attachments', async () => {
		const m = await machine(
			{ run: async () => never },
			{ store: (store) => withMethods(store, { create: lost(store.create.bind(store)) }) },
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

describe('work that runs upstream', () => {
	test('is stopped when its job is cancelled, and a failure to do so does not keep the job open', async () => {
		const stopped: (string | null)[] = [];
		const m = await machine({
			run: async (_job, run) => {
				await run.checkpoint('upstream-7');
				return untilAborted(run);
			},
			cancel: async ({ checkpoint }) => {
				stopped.push(checkpoint);
				throw new Error('the upstream is away');
			},
		});
		m.worker.start();
		const id = await m.submit();
		await eventually('a checkpoint', async () => (await m.jobs.get('a', id)).checkpoint !== null);
		await m.jobs.cancel('a', id);
		await eventually('failed', async () => (await m.jobs.get('a', id)).status === 'failed');
		expect((await m.jobs.get('a', id)).error?.code).toBe('cancelled');
		expect(stopped).toEqual(['upstream-7']);
	});

	/** A job with a checkpoint, which an attempt of another process has begun, and the checkpoints that were cancelled. */
	async function begunElsewhere() {
		const stopped: (string | null)[] = [];
		const cancel = async ({ checkpoint }: { readonly checkpoint: string | null }) => void stopped.push(checkpoint);
		const m = await machine({ run: async () => never, cancel });
		const id = await m.submit();
		await m.take(20_000);
		await m.store.heartbeat(id, 1, { checkpoint: 'upstream-9' });
		return { m, id, stopped };
	}

	test.each(['waits for its next attempt', 'is running in a process that has crashed', 'is released by a drain'])(
		'is stopped by the housekeeping when its job is cancelled while it %s',
		async (when) => {
			const { m, id, stopped } = await begunElsewhere();
			if (when === 'waits for its next attempt') await m.store.release(id, 1);
			await m.jobs.cancel('a', id);
			if (when === 'is released by a drain') await m.store.release(id, 1);
			await m.clock.advance(20_000);
			await m.take();
			expect(await m.jobs.get('a', id)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
			await m.housekeeping.sweep();
			const calls = stopped.length;
			expect([...new Set(stopped)]).toEqual(['upstream-9']);
			await m.housekeeping.sweep();
			expect(stopped).toHaveLength(calls);
		},
	);

	test('is stopped when its job is cancelled after a crash, and removed before the housekeeping', async () => {
		const { m, id, stopped } = await begunElsewhere();
		await m.jobs.cancel('a', id);
		await m.clock.advance(20_000);
		await m.take();
		await m.jobs.remove('a', id);
		expect(stopped).toEqual(['upstream-9']);
	});

	test('is stopped when its job was removed before the checkpoint', async () => {
		const stopped: (string | null)[] = [];
		let continueWork: () => void = () => {};
		const m = await machine({
			run: async (_job, run) => {
				await new Promise<void>((resolve) => {
					continueWork = resolve;
				});
				await run.checkpoint('upstream-8');
				return { result: {} };
			},
			cancel: async ({ checkpoint }) => {
				stopped.push(checkpoint);
			},
		});
		m.worker.start();
		const id = await m.submit();
		await eventually('running', () => m.worker.running === 1);
		await m.jobs.remove('a', id);
		continueWork();
		await eventually('stopped upstream', () => stopped.length === 1);
		expect(stopped).toEqual(['upstream-8']);
	});
});

describe('a store that never responds to a heartbeat', () => {
	test('ends the lease of the attempt, and the slot is freed', async () => {
		const m = await machine(
			{ run: async (_job, run) => untilAborted(run) },
			{ store: (store) => withMethods(store, { heartbeat: () => never }) },
		);
		m.worker.start();
		const id = await m.submit();
		await eventually('running', () => m.worker.running === 1);
		for (let second = 0; second < 30; second += 1) await m.clock.advance(1_000);
		await eventually('the next attempt', async () => (await m.jobs.get('a', id)).attempt === 2);
	});
});

describe('housekeeping', () => {
	test('continues after bytes that cannot be deleted', async () => {
		const m = await machine({ run: async () => never });
		const [first, second] = [await m.submit(), await m.submit()];
		for (const id of [first, second]) {
			await m.blobs.put(`jobs/${id}/input/x`, new Uint8Array([1]), { contentType: 'a/b' });
		}
		const broken = withMethods(m.blobs, {
			delete: (keys) => (keys[0]?.includes(first) ? Promise.reject(new Error('no')) : m.blobs.delete(keys)),
		});
		const housekeeping = m.housekeepingOn(broken);
		await m.store.remove('a', first);
		await m.store.remove('a', second);
		await housekeeping.sweep();
		expect(await m.keys()).toEqual([`jobs/${first}/input/x`]);
		await m.housekeeping.sweep();
		expect(await m.keys()).toEqual([]);
	});

	test('ends a round after a whole batch of them, and continues after these in the next round', async () => {
		const m = await machine({ run: async () => never }, { settings: { maxPendingPerTenant: 0 } });
		const ids: string[] = [];
		for (let n = 0; n < 501; n += 1) ids.push(await m.submit());
		for (const id of ids) {
			await m.blobs.put(`jobs/${id}/input/x`, new Uint8Array([1]), { contentType: 'a/b' });
			await m.store.remove('a', id);
		}
		const last = ids.at(-1) ?? '';
		let tries = 0;
		const broken = withMethods(m.blobs, {
			delete: (keys) => {
				tries += 1;
				return keys[0]?.includes(last) ? m.blobs.delete(keys) : Promise.reject(new Error('no'));
			},
		});
		const housekeeping = m.housekeepingOn(broken);
		await housekeeping.sweep();
		expect([(await m.keys()).length, tries]).toEqual([501, 500]);
		await housekeeping.sweep();
		expect([(await m.keys()).length, tries]).toEqual([500, 501]);
		await housekeeping.sweep();
		expect(tries).toBe(1_001);
	});

	test('deletes the bytes of expired content and keeps the record', async () => {
		const m = await machine({
			run: async (_job, run) => {
				await m.blobs.put(run.blobKey('video.mp4'), new Uint8Array([1]), {
					contentType: 'video/mp4',
				});
				return { result: {}, retentionMs: 10_000 };
			},
		});
		m.worker.start();
		const stop = new AbortController();
		const kept = m.housekeeping.run(stop.signal);
		const id = await m.submit();
		await eventually('completed', async () => (await m.jobs.get('a', id)).status === 'completed');
		expect(await m.keys()).toHaveLength(1);
		await m.clock.advance(35_000);
		await eventually('swept', async () => (await m.keys()).length === 0);
		stop.abort();
		await kept;
		expect((await m.jobs.get('a', id)).status).toBe('completed');
	});

	test('continues after a failed round', async () => {
		let rounds = 0;
		const m = await machine(
			{ run: async () => never },
			{
				store: (store) =>
					withMethods(store, {
						sweep: async (limit) => {
							rounds += 1;
							if (rounds === 1) throw plinthError('E_STORE_UNAVAILABLE');
							return store.sweep(limit);
						},
					}),
			},
		);
		const stop = new AbortController();
		const kept = m.housekeeping.run(stop.signal);
		await eventually('two rounds', async () => {
			await m.clock.advance(30_000);
			return rounds >= 2;
		});
		stop.abort();
		await kept;
	});
});
