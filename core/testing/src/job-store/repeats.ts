import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import {
	broken,
	claim,
	eventTypes,
	type JobCaseContext,
	type JobStoreSubject,
	leaseMs,
	read,
	running,
	tryTake,
} from './subject.ts';

type Call = (s: JobStoreSubject, id: string, fence: number) => Promise<boolean>;

/** The calls that end an attempt, with `fail` in both its forms. */
const calls: Readonly<Record<string, Call>> = {
	complete: (s, id, fence) => s.store.complete(id, fence, { result: { a: 1 }, retentionMs: 60_000 }),
	fail: (s, id, fence) => s.store.fail(id, fence, broken),
	'fail with a retry': (s, id, fence) => s.store.fail(id, fence, broken, 5_000),
	release: (s, id, fence) => s.store.release(id, fence),
};

const names = Object.keys(calls);

/** Cases on repeats of calls that end an attempt: a worker repeats them when their answer may have been lost. */
export function repeatCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		...names.map((name) =>
			it(`a repeated ${name} answers true and changes nothing`, async (s) => {
				const { job, fence } = await running(s);
				assert.equal(await call(name, s, job.id, fence), true);
				const before = await state(s, job.id);
				await s.clock.advance(1_000);
				assert.equal(await call(name, s, job.id, fence), true);
				assert.deepEqual(await state(s, job.id), before);
			}),
		),
		...names.flatMap((first) =>
			names
				.filter((second) => method(second) !== method(first))
				.map((second) =>
					it(`${first}, then ${second}: the second answers false and changes nothing`, async (s) => {
						const { job, fence } = await running(s);
						await call(first, s, job.id, fence);
						const before = await state(s, job.id);
						assert.equal(await call(second, s, job.id, fence), false);
						assert.deepEqual(await state(s, job.id), before);
					}),
				),
		),
		...names.map((name) =>
			it(`a repeated ${name} of a removed job answers false`, async (s) => {
				const { job, fence } = await running(s);
				await call(name, s, job.id, fence);
				await s.store.remove('acme', job.id);
				assert.equal(await call(name, s, job.id, fence), false);
				assert.equal((await eventTypes(s, job.id)).at(-1), 'job.deleted');
			}),
		),
		...['fail with a retry', 'release'].map((name) =>
			it(`a repeated ${name} answers false once the job was claimed again`, async (s) => {
				const { job, fence } = await running(s);
				await call(name, s, job.id, fence);
				await s.clock.advance(5_000);
				await claim(s, job.id);
				const before = await state(s, job.id);
				assert.equal(await call(name, s, job.id, fence), false);
				assert.deepEqual(await state(s, job.id), before);
			}),
		),
		it('a repeated fail does not delay the retry', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, broken, 5_000);
			await s.clock.advance(4_000);
			await s.store.fail(job.id, fence, broken, 5_000);
			await s.clock.advance(1_000);
			assert.equal((await claim(s, job.id)).job.attempt, 2);
		}),
		it('fail returns false for an attempt that the store has ended, although an earlier attempt failed', async (s) => {
			const first = await running(s, { maxAttempts: 2 });
			await s.store.fail(first.job.id, first.fence, broken, 0);
			const second = await claim(s, first.job.id);
			await s.clock.advance(leaseMs);
			await tryTake(s, second.job.id);
			assert.equal(await s.store.fail(second.job.id, second.fence, broken), false);
		}),
	];
}

/** Makes the call of this name. */
export function call(name: string, s: JobStoreSubject, id: string, fence: number): Promise<boolean> {
	return (calls[name] ?? assert.fail(`there is no call ${name}`))(s, id, fence);
}

/** The method of a call: `fail` has two forms. */
function method(name: string): string {
	return name.split(' ')[0] ?? name;
}

/** Everything that a repeat must not change. */
export async function state(s: JobStoreSubject, id: string): Promise<unknown> {
	return [await read(s, id), await eventTypes(s, id), await s.store.sweep(10)];
}
