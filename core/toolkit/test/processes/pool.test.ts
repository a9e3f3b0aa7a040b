import { eventually } from '@plinth/testing';
import {
	Crash,
	ProcessPool,
	type ProcessPoolOptions,
	Refusal,
	type TaskRun,
	TaskTimeout,
} from '@plinth/toolkit/processes';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { fakeProcess } from './fake-process.ts';

const fakes: Awaited<ReturnType<typeof fakeProcess>>[] = [];
let file: URL;

beforeEach(async () => {
	const fake = await fakeProcess();
	fakes.push(fake);
	file = fake.file;
});

afterAll(() => Promise.all(fakes.map((fake) => fake.remove())));

function createPool(options: Partial<ProcessPoolOptions> = {}) {
	const pool = new ProcessPool({
		name: 'fake',
		file,
		workers: 1,
		idleMs: 10_000,
		taskTimeoutMs: 10_000,
		abortGraceMs: 500,
		maxIdleBytes: 450_000_000,
		...options,
	});
	onTestFinished(() => pool.close());
	const run = async (task: string, signal?: AbortSignal) => (await pool.run(task, { signal })).value;
	/** Runs a harmless task and returns the id of its process. */
	const pid = async () => (await run('anything')) as number;
	return { pool, run, pid };
}

const isAlive = (pid: number) => {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
};

describe('a process of a pool', () => {
	it('starts with the first task and runs tasks one after the other', async () => {
		const { pool, pid } = createPool();
		expect(pool.pids).toEqual([]);
		const pids = await Promise.all([pid(), pid(), pid()]);
		expect(new Set(pids)).toEqual(new Set(pool.pids));
		expect(pool.pids).toHaveLength(1);
	});

	it('is joined by others when there are many tasks and more processes are allowed', async () => {
		const { pool, pid } = createPool({ workers: 2 });
		await Promise.all([pid(), pid(), pid(), pid()]);
		expect(pool.pids).toHaveLength(2);
	});

	it('gets only the given variables of the environment of its parent', async () => {
		process.env.POOL_TEST_SECRET = 'secret';
		onTestFinished(() => void delete process.env.POOL_TEST_SECRET);
		const { run } = createPool({ env: { LANGUAGES: 'eng' } });
		expect(await run('env')).toMatchObject({ MALLOC_ARENA_MAX: '2', LANGUAGES: 'eng' });
		expect(JSON.stringify(await run('env'))).not.toContain('secret');
	});

	it('has its own heap limit', async () => {
		const { run } = createPool({ heapMb: 99 });
		expect(await run('flags')).toContain('--max-old-space-size=99');
	});

	it('ends after an idle time', async () => {
		const { pool, pid } = createPool({ idleMs: 20 });
		const first = await pid();
		await eventually('it ends', () => pool.pids.length === 0);
		expect(isAlive(first)).toBe(false);
		expect(await pid()).not.toBe(first);
	});

	it('is replaced when it keeps much memory after a task', async () => {
		const { run, pid } = createPool();
		const swollen = await run('swell');
		expect(await pid()).not.toBe(swollen);
	});

	it('is replaced after a number of tasks', async () => {
		const { pid } = createPool({ maxTasks: 2 });
		const pids = [await pid(), await pid(), await pid()];
		expect(pids[1]).toBe(pids[0]);
		expect(pids[2]).not.toBe(pids[1]);
	});

	it('is ended with the pool, which then refuses tasks', async () => {
		const { pool, run, pid } = createPool();
		const first = await pid();
		const running = run('hang');
		const waiting = run('hang');
		const ends = Promise.allSettled([running, waiting]);
		await pool.close();
		expect(isAlive(first)).toBe(false);
		for (const end of [...(await ends), ...(await Promise.allSettled([run('anything')]))]) {
			expect(end).toMatchObject({
				status: 'rejected',
				reason: { message: 'The fake was stopped.' },
			});
		}
		expect(pool.pids).toEqual([]);
	});
});

describe('a pool of several processes', () => {
	it('gives a task to the process that was used last', async () => {
		const { run, pid } = createPool({ workers: 2 });
		const slow = run('news slowly');
		const [first, second] = [await pid(), await slow];
		expect(first).not.toBe(second);
		expect([await pid(), await pid()]).toEqual([second, second]);
	});

	it('lets a task wait for a process before it starts another one', async () => {
		const { pool, run, pid } = createPool({ workers: 2, waitMs: 60_000 });
		const pids = await Promise.all([run('news slowly'), pid(), pid()]);
		expect(new Set(pids)).toEqual(new Set(pool.pids));
		expect(pool.pids).toHaveLength(1);
	});

	it('starts another one when the wait is too long', async () => {
		const { pool, run, pid } = createPool({ workers: 2, waitMs: 20 });
		const [first, second] = await Promise.all([run('news slowly'), pid()]);
		expect(first).not.toBe(second);
		expect(pool.pids).toHaveLength(2);
	});

	it('starts another one as soon as the only one has ended', async () => {
		const { run, pid } = createPool({ workers: 2, waitMs: 60_000 });
		const [crash, second] = await Promise.allSettled([run('swell'), pid()]);
		expect([crash.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
	});

	it('starts no process for a task that was aborted while it waited', async () => {
		const { pool, run, pid } = createPool({ workers: 2, waitMs: 20 });
		const abort = new AbortController();
		const slow = run('news slowly');
		const waiting = run('anything', abort.signal);
		abort.abort(new Error('gone'));
		await expect(waiting).rejects.toThrow('gone');
		const first = await slow;
		expect(await pid()).toBe(first);
		expect(pool.pids).toEqual([first]);
	});
});

describe('the updates of a task', () => {
	it('arrive in order before its result', async () => {
		const { pool } = createPool();
		const heard: unknown[] = [];
		await pool.run('news', { onUpdate: (value) => heard.push(value) });
		expect(heard).toEqual([1, 2, 3]);
	});

	it('may extend its time limit', async () => {
		const { pool } = createPool();
		const limited = { timeoutMs: 150 };
		await expect(pool.run('news slowly', limited)).rejects.toBeInstanceOf(TaskTimeout);
		const run: TaskRun = { ...limited, onUpdate: (_, __, deadline) => deadline.extend(5_000) };
		expect(await pool.run('news slowly', run)).toMatchObject({ value: expect.anything() });
	});

	it('without end are stopped by their handler', async () => {
		const { pool, pid } = createPool();
		let heard = 0;
		const throwLimit = () => {
			if (++heard > 20) throw new Error('That is too much.');
		};
		await expect(pool.run('flood', { onUpdate: throwLimit })).rejects.toBeInstanceOf(Crash);
		expect(await pid()).toBeGreaterThan(0);
	});
});

describe('a process that fails', () => {
	it('by crashing, is replaced, and its task is retried', async () => {
		const { run } = createPool();
		expect(await run('crash once')).toEqual(expect.any(Number));
	});

	it('by crashing twice over a task, fails only that task', async () => {
		const { run, pid } = createPool();
		const [crashed, other] = await Promise.allSettled([run('crash'), pid()]);
		expect(crashed).toMatchObject({ reason: expect.any(Crash) });
		expect(other.status).toBe('fulfilled');
	});

	it.each(['babble', 'babble JSON', 'babble null'])('by %s, counts as crashed', async (task) => {
		const { run, pid } = createPool();
		const before = await pid();
		await expect(run(task)).rejects.toBeInstanceOf(Crash);
		expect(await pid()).not.toBe(before);
	});

	it('by an update that the handler refuses, counts as crashed', async () => {
		const { pool } = createPool();
		const onUpdate = () => {
			throw new TypeError('What?');
		};
		await expect(pool.run('babble news', { onUpdate })).rejects.toMatchObject({
			cause: expect.any(TypeError),
		});
	});

	it('is reported with its last output', async () => {
		const { run } = createPool();
		await expect(run('talk and die')).rejects.toThrow(/Segmentation fault/);
	});

	it('by ending while it is idle, is replaced without an error', async () => {
		const { pid } = createPool();
		const first = await pid();
		process.kill(first, 'SIGKILL');
		expect(await pid()).not.toBe(first);
	});

	it('by never responding, is killed', async () => {
		const { pool, pid } = createPool();
		const before = await pid();
		await expect(pool.run('hang', { timeoutMs: 50 })).rejects.toBeInstanceOf(TaskTimeout);
		expect(await pid()).not.toBe(before);
	});

	it('for a reason outside of its task, reports that', async () => {
		const { run } = createPool();
		const error = await run('fail').catch((reason) => reason);
		expect(error).toMatchObject({ message: 'EACCES' });
		expect(error).not.toBeInstanceOf(Crash);
	});
});

describe('a process that continues', () => {
	it('after a refusal, which has its code and message', async () => {
		const { run, pid } = createPool();
		const before = await pid();
		const error = await run('refuse').catch((reason) => reason);
		expect(error).toBeInstanceOf(Refusal);
		expect(error).toMatchObject({
			code: 'E_BAD',
			sentence: 'It is bad.',
			cause: { message: 'Why.' },
		});
		expect(await pid()).toBe(before);
	});

	it('although it prints much', async () => {
		const { run } = createPool();
		expect(await run('talk much')).toEqual(expect.any(Number));
	});
});

describe('an aborted task', () => {
	const reason = new Error('The client left.');

	it('never starts if it still waits', async () => {
		const { run, pid } = createPool();
		const leaving = new AbortController();
		const first = pid();
		const waiting = run('mark once', leaving.signal);
		leaving.abort(reason);
		await expect(waiting).rejects.toBe(reason);
		await first;
		expect(await run('mark once')).toBe(true);
	});

	it('rejects at once, and its process is replaced if it runs too long', async () => {
		const { run, pid } = createPool({ abortGraceMs: 20 });
		const before = await pid();
		const leaving = new AbortController();
		const running = run('hang', leaving.signal);
		const next = pid();
		// The process has received the task by then.
		await new Promise((resolve) => setImmediate(resolve));
		leaving.abort(reason);
		await expect(running).rejects.toBe(reason);
		expect(await next).not.toBe(before);
	});

	it('does not end a process that is still starting', async () => {
		const { pool, run, pid } = createPool({ abortGraceMs: 0 });
		const leaving = new AbortController();
		const running = run('anything', leaving.signal);
		await new Promise((resolve) => setImmediate(resolve));
		const [starting] = pool.pids;
		leaving.abort(reason);
		await expect(running).rejects.toBe(reason);
		expect(await pid()).toBe(starting);
	});

	it('does not end its process if that finishes in time', async () => {
		const { run, pid } = createPool({ abortGraceMs: 5_000 });
		const before = await pid();
		const leaving = new AbortController();
		const running = run('anything', leaving.signal);
		await new Promise((resolve) => setImmediate(resolve));
		leaving.abort(reason);
		await running.catch(() => {});
		expect(await pid()).toBe(before);
	});
});
