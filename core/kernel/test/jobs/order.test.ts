import { eventually } from '@plinth/testing';
import { expect, test } from 'vitest';
import type { Job, JobRun, Principal } from '../../src/index.ts';
import { alice, bob, type Machine, machine, untilAborted } from './harness.ts';

const leaseMs = 20_000;

/** A machine with one place, what it has begun in that order, and work that ends when it is told to. */
async function oneByOne(): Promise<Machine & { begun: string[]; finish(): void }> {
	const begun: string[] = [];
	const running = new Map<string, () => void>();
	const run = ({ id }: Job, surroundings: JobRun) => {
		begun.push(id);
		const done = new Promise<void>((resolve) => running.set(id, resolve));
		return Promise.race([done.then(() => ({ result: {} })), untilAborted(surroundings)]);
	};
	const m = await machine({ run }, { settings: { concurrency: 1, leaseMs } });
	return { ...m, begun, finish: () => running.get(begun.at(-1) ?? '')?.() };
}

/** Works until `count` attempts have begun, in all. */
async function workOff({ begun, finish }: { begun: string[]; finish(): void }, count: number) {
	for (let n = begun.length; n < count; n += 1) {
		finish();
		await eventually(`attempt ${n + 1} begins`, () => begun.length > n);
	}
}

test('a job that the stop of a server has interrupted runs before those that never began', async () => {
	const m = await oneByOne();
	const [first, second, third] = [await m.submit(), await m.submit(), await m.submit()];
	m.worker.start();
	await workOff(m, 1);
	await m.worker.close();
	await m.worker.interrupt();
	m.worker.start();
	await workOff(m, 4);
	expect(m.begun).toEqual([first, first, second, third]);
});

test('a job whose worker has died runs before those that never began, once its lease has lapsed', async () => {
	const m = await oneByOne();
	const first = await m.submit();
	await m.take();
	const [second, third] = [await m.submit(), await m.submit()];
	m.worker.start();
	await eventually('it was not claimed', () => m.begun.length === 1);
	await m.clock.advance(leaseMs);
	await workOff(m, 3);
	expect(m.begun).toEqual([second, first, third]);
});

test('a job that kills its worker every time fails in the end, and others run between', async () => {
	const m = await machine({ run: async () => ({ result: {} }) });
	const poison = await m.submit(alice);
	const submit = async (principal: Principal) => [await m.submit(principal), await m.submit(principal)];
	const others = [...(await submit(alice)), ...(await submit(bob))];
	const begun: string[] = [];
	/** One process with one place: it dies of the poison, and another one comes. */
	const live = async () => {
		for (let claim = await m.take(leaseMs); claim; claim = await m.take(leaseMs)) {
			const { id } = claim.job;
			begun.push(id);
			if (id === poison) return m.clock.jump(leaseMs);
			await m.store.complete(id, claim.fence, { result: {}, retentionMs: null });
		}
	};
	for (let lives = 1; lives <= 6; lives += 1) await live();
	expect((await m.jobs.get('a', poison)).error?.code).toBe('attempts_exhausted');
	expect(begun.filter((id) => id === poison)).toHaveLength(5);
	// The other tenant has its turns while the poison has its own.
	const beforeLast = begun.slice(0, begun.lastIndexOf(poison));
	expect(beforeLast).toEqual(expect.arrayContaining(others.slice(2)));
	expect([...begun].sort()).toEqual([...others, ...Array(5).fill(poison)].sort());
});
