import type { JobStore } from '@plinth/core';
import { describe } from 'vitest';
import { jobSuite, showing } from './job-suite.ts';
import { type Sabotage, testSabotage } from './sabotage.ts';

/** Returns false for a repeated call. */
function refusingRepeats(method: 'complete' | 'fail' | 'release') {
	return (right: JobStore): Partial<JobStore> => {
		const made = new Set<string>();
		const write = right[method].bind(right) as (id: string, fence: number, ...rest: unknown[]) => Promise<boolean>;
		return {
			async [method](id: string, fence: number, ...rest: unknown[]) {
				if (made.has(`${id} ${fence}`)) return false;
				made.add(`${id} ${fence}`);
				return write(id, fence, ...rest);
			},
		};
	};
}

const wrong: Sabotage<JobStore>[] = [
	...(['complete', 'fail', 'release'] as const).map(
		(method): Sabotage<JobStore> => [
			`a ${method} whose repeat is refused`,
			refusingRepeats(method),
			`a repeated ${method} answers true and changes nothing`,
		],
	),
	[
		'a repeated release that is done again',
		(right) => {
			const released = new Set<string>();
			return {
				async release(id, fence) {
					const options = { leaseMs: 1_000, count: 1 };
					const [again] = released.has(id) ? await right.take('video', 'w', options) : [];
					released.add(id);
					return right.release(id, again?.fence ?? fence);
				},
			};
		},
		'a repeated release answers true and changes nothing',
	],
	[
		'a repeated fail that puts the retry off',
		(right) => {
			const last = new Map<string, number>();
			return {
				async fail(id, fence, error, retryInMs = 0) {
					const wait = last.has(id) ? retryInMs : 0;
					last.set(id, retryInMs);
					return right.fail(id, fence, error, retryInMs + wait + 1);
				},
			};
		},
		'a repeated fail does not delay the retry',
	],
	[
		'a fail that takes a completed attempt for its own',
		(right) => ({ fail: async (...args) => (await right.fail(...args)) || true }),
		'complete, then fail: the second answers false and changes nothing',
	],
	[
		'a complete that takes a failed attempt for its own',
		(right) => ({ complete: async (...args) => (await right.complete(...args)) || true }),
		'fail, then complete: the second answers false and changes nothing',
	],
	[
		'a fail that remembers the job and not the attempt',
		(right) => {
			const failed = new Set<string>();
			return {
				async fail(id, fence, error, retryInMs) {
					const isOwn = await right.fail(id, fence, error, retryInMs);
					const answer = isOwn || failed.has(id);
					if (isOwn) failed.add(id);
					return answer;
				},
			};
		},
		'fail returns false for an attempt that the store has ended, although an earlier attempt failed',
	],
	...[
		'a repeated release answers false once the job was claimed again',
		'a repeated release of a removed job answers false',
	].map(
		(sentence): Sabotage<JobStore> => [
			`a release that remembers for ever (${sentence})`,
			(right) => {
				const released = new Set<string>();
				return {
					async release(id, fence) {
						if (released.has(`${id} ${fence}`)) return true;
						released.add(`${id} ${fence}`);
						return right.release(id, fence);
					},
				};
			},
			sentence,
		],
	),
	[
		'a retention that must be whole',
		(right) => ({
			async complete(id, fence, completion) {
				if (!Number.isInteger(completion.retentionMs)) throw new Error('not an integer');
				return right.complete(id, fence, completion);
			},
		}),
		'durations with a fraction of a millisecond are rounded',
	],
	[
		'an expiresAt that keeps its fraction',
		showing(({ expiresAt }) => ({ expiresAt: expiresAt && expiresAt + 0.25 })),
		'durations with a fraction of a millisecond are rounded',
	],
	[
		'content that never expires',
		showing(() => ({ expired: false })),
		'content has expired from the second of its instant on, by the clock of the store',
	],
];

describe('jobStoreSuite, on how attempts end', () => testSabotage(wrong, jobSuite));
