import { eventually } from '@plinth/testing';
import { expect, test } from 'vitest';
import type { Job, JobRun, Principal } from '../../src/index.ts';
import { alice, bob, type Machine, machine, untilAborted } from './harness.ts';

const leaseMs = 20_000;

/** A machine with one slot, the jobs that it has started in order, and work that the test ends. */
async function oneByOne(): Promise<Machine & { started: string[]; finish(): void }> {
	const started: string[] = [];
	const running = new Map<string, () => void>();
	const run = ({ id }: Job, surroundings: JobRun) => {
		started.push(id);
		const done = new Promise<void>((resolve) => running.set(id, resolve));
		return Promise.race([done.then(() => ({ result: {} })), untilAborted(surroundings)]);
	};
	const m = await machine({ run }, { settings: { concurrency: 1, leaseMs } });
	return { ...m, started, finish: () => running.get(started.at(-1) ?? '')?.() };
}

/** Runs jobs until `count` attempts have started in total. */
async function runJobs({ started, finish }: { started: string[]; finish(): void }, count: number) {
	for (let n = started.length; n < count; n += 1) {
		finish();
		await eventually(`attempt ${n + 1} begins`, () => started.length > n);
	}
}

test('a job that the stop of a server interrupted runs before jobs that never ran', async () => {
	const m = await oneByOne();
	const [first, second, third] = [await m.submit(), await m.submit(), await m.submit()];
	m.worker.start();
	await runJobs(m, 1);
	await m.worker.close();
	await m.worker.interrupt();
	m.worker.start();
	await runJobs(m, 4);
	expect(m.started).toEqual([first, first, second, third]);
});

test('a job whose worker crashed runs before jobs that never ran, once its lease has lapsed', async () => {
	const m = await oneByOne();
	const first = await m.submit();
	await m.take();
	const [second, third] = [await m.submit(), await m.submit()];
	m.worker.start();
	await eventually('it was not claimed', () => m.started.length === 1);
	await m.clock.advance(leaseMs);
	await runJobs(m, 3);
	expect(m.started).toEqual([second, first, third]);
});

test('a job that always crashes its worker fails in the end, and others run in between', async () => {
	const m = await machine({ run: async () => ({ result: {} }) });
	const poison = await m.submit(alice);
	const submit = async (principal: Principal) => [await m.submit(principal), await m.submit(principal)];
	const others = [...(await submit(alice)), ...(await submit(bob))];
	const started: string[] = [];
	/** A process with one slot. It crashes at the poison job. */
	const runProcess = async () => {
		for (let claim = await m.take(leaseMs); claim; claim = await m.take(leaseMs)) {
			const { id } = claim.job;
			started.push(id);
			if (id === poison) return m.clock.jump(leaseMs);
			await m.store.complete(id, claim.fence, { result: {}, retentionMs: null });
		}
	};
	for (let processes = 1; processes <= 6; processes += 1) await runProcess();
	expect((await m.jobs.get('a', poison)).error?.code).toBe('attempts_exhausted');
	expect(started.filter((id) => id === poison)).toHaveLength(5);
	// The jobs of the other tenant run between the attempts of the poison job.
	const beforeLast = started.slice(0, started.lastIndexOf(poison));
	expect(beforeLast).toEqual(expect.arrayContaining(others.slice(2)));
	expect([...started].sort()).toEqual([...others, ...Array(5).fill(poison)].sort());
});
