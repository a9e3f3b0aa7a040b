import { memoryJobs } from '@plinth/memory';
import { createBackend, eventually, manualClock, silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createApp, definePlugin, type JobStore } from '../../src/index.ts';
import { Duty } from '../../src/jobs/duty.ts';
import { machine, withMethods } from './harness.ts';

const log = silentLogger();

/** Processes that share a duty and a clock. A hung process cannot reach the store. */
async function deployment() {
	const clock = manualClock();
	const { provided } = await createBackend<JobStore>(memoryJobs(), { clock });
	const working = new Set<string>();
	let most = 0;
	const process = (name: string) => {
		const state = { isHung: false, runs: 0 };
		const lead: JobStore['lead'] = (...args) => (state.isHung ? new Promise(() => {}) : provided.lead(...args));
		const run = async (signal: AbortSignal) => {
			state.runs += 1;
			working.add(name);
			most = Math.max(most, working.size);
			await new Promise((resolve) => signal.addEventListener('abort', resolve));
			working.delete(name);
		};
		const duty = new Duty('sweep', run, { store: { lead }, clock, log });
		return { duty, state };
	};
	return { clock, working, process, most: () => most };
}

describe('a duty', () => {
	test('runs in one of several processes', async () => {
		const d = await deployment();
		const all = ['a', 'b', 'c'].map(d.process);
		for (const { duty } of all) duty.start();
		for (let second = 0; second < 60; second += 1) await d.clock.advance(1_000);
		expect([[...d.working], d.most()]).toEqual([['a'], 1]);
		for (const { duty } of all) await duty.stop();
	});

	test('is taken over within 15 s when its process crashes, and never runs twice at once', async () => {
		const d = await deployment();
		const [first, second] = [d.process('a'), d.process('b')];
		first.duty.start();
		await eventually('it begins', () => d.working.has('a'));
		second.duty.start();
		await d.clock.advance(5_000);
		first.state.isHung = true;
		for (let ms = 0; ms < 15_000; ms += 500) await d.clock.advance(500);
		expect([[...d.working], d.most()]).toEqual([['b'], 1]);
		await second.duty.stop();
	});

	test('that is released at a stop is taken over at the next poll', async () => {
		const d = await deployment();
		const [first, second] = [d.process('a'), d.process('b')];
		first.duty.start();
		await eventually('it begins', () => d.working.has('a'));
		second.duty.start();
		await first.duty.stop();
		await d.clock.advance(2_000);
		expect([...d.working]).toEqual(['b']);
		await second.duty.stop();
	});

	test('is restarted when its run fails', async () => {
		const clock = manualClock();
		let runs = 0;
		const run = async () => {
			runs += 1;
			throw new Error('no');
		};
		const duty = new Duty('sweep', run, { store: undefined, clock, log });
		duty.start();
		for (let second = 0; second < 10; second += 1) await clock.advance(1_000);
		expect(runs).toBeGreaterThan(1);
		await duty.stop();
	});

	test('is stopped only when the current round has ended', async () => {
		const deletion = Promise.withResolvers<void>();
		const messages: string[] = [];
		const m = await machine(
			{ run: () => new Promise(() => {}) },
			{
				blobs: (blobs) =>
					withMethods(blobs, {
						async delete(key) {
							messages.push('deletion begins');
							await deletion.promise;
							messages.push('deletion ends');
							return blobs.delete(key);
						},
					}),
				settings: { sweepMs: 1_000 },
			},
		);
		const id = await m.submit();
		await m.blobs.put(`jobs/${id}/input/x`, new Uint8Array([1]), { contentType: 'a/b' });
		await m.store.remove('a', id);
		const tools = { store: m.store, clock: m.clock, log };
		const duty = new Duty('sweep', (signal) => m.housekeeping.run(signal), tools);
		duty.start();
		await eventually('a round', async () => {
			await m.clock.advance(1_000);
			return messages.length === 1;
		});
		const stopped = duty.stop().then(() => messages.push('stopped'));
		await new Promise((resolve) => setImmediate(resolve));
		deletion.resolve();
		await stopped;
		expect(messages).toEqual(['deletion begins', 'deletion ends', 'stopped']);
	});
});

describe('a plugin', () => {
	const messages: string[] = [];
	const plugin = definePlugin({
		id: 'cleaner',
		config: z.strictObject({}),
		setup({ duty, onStart }) {
			onStart(() => void messages.push('start'));
			duty('clean', async (signal) => {
				messages.push('clean');
				await new Promise((resolve) => signal.addEventListener('abort', resolve));
				messages.push('cleaned');
			});
		},
	});

	test.each([
		['with a job store', { jobs: memoryJobs() }],
		['without one', {}],
	])('has a duty from the start to the stop of the app, %s', async (_sentence, backends) => {
		messages.length = 0;
		const server = { auth: 'off', drainDelayMs: 0 } as const;
		const app = await createApp({ server, backends, plugins: { cleaner: plugin() } }, { log });
		await app.start();
		await eventually('it cleans', () => messages.includes('clean'));
		await app.stop();
		expect(messages).toEqual(['start', 'clean', 'cleaned']);
	});
});
