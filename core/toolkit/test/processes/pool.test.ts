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
	/** Does something harmless, and tells which process did. */
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
	it('starts with the first task and does one after the other', async () => {
		const { pool, pid } = createPool();
		expect(pool.pids).toEqual([]);
		const pids = await Promise.all([pid(), pid(), pid()]);
		expect(new Set(pids)).toEqual(new Set(pool.pids));
		expect(pool.pids).toHaveLength(1);
	});

	it('has company when there are many tasks and more are allowed', async () => {
		const { pool, pid } = createPool({ workers: 2 });
		await Promise.all([pid(), pid(), pid(), pid()]);
		expect(pool.pids).toHaveLength(2);
	});

	it('knows nothing of the environment of its parent but what it is given', async () => {
		process.env.POOL_TEST_SECRET = 'secret';
		onTestFinished(() => void delete process.env.POOL_TEST_SECRET);
		const { run } = createPool({ env: { LANGUAGES: 'eng' } });
		expect(await run('env')).toMatchObject({ MALLOC_ARENA_MAX: '2', LANGUAGES: 'eng' });
		expect(JSON.stringify(await run('env'))).not.toContain('secret');
	});

	it('has a heap of its own size', async () => {
		const { run } = createPool({ heapMb: 99 });
		expect(await run('flags')).toContain('--max-old-space-size=99');
	});

	it('ends when nothing has come for a while', async () => {
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

	it('is ended with the pool, which then takes nothing more', async () => {
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

	it('starts another one when the wait was in vain', async () => {
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

	it('starts nothing for a task that was aborted while it waited', async () => {
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

describe('news of a task', () => {
	it('come in order before its answer', async () => {
		const { pool } = createPool();
		const heard: unknown[] = [];
		await pool.run('news', { onUpdate: (value) => heard.push(value) });
		expect(heard).toEqual([1, 2, 3]);
	});

	it('may lengthen its time', async () => {
		const { pool } = createPool();
		const limited = { timeoutMs: 150 };
		await expect(pool.run('news slowly', limited)).rejects.toBeInstanceOf(TaskTimeout);
		const run: TaskRun = { ...limited, onUpdate: (_, __, deadline) => deadline.extend(5_000) };
		expect(await pool.run('news slowly', run)).toMatchObject({ value: expect.anything() });
	});

	it('without end are cut off by who hears them', async () => {
		const { pool, pid } = createPool();
		let heard = 0;
		const tooMuch = () => {
			if (++heard > 20) throw new Error('That is too much.');
		};
		await expect(pool.run('flood', { onUpdate: tooMuch })).rejects.toBeInstanceOf(Crash);
		expect(await pid()).toBeGreaterThan(0);
	});
});

describe('a process that fails', () => {
	it('by crashing, is replaced, and its task tried again', async () => {
		const { run } = createPool();
		expect(await run('crash once')).toEqual(expect.any(Number));
	});

	it('by crashing twice over a task, fails that one and no other', async () => {
		const { run, pid } = createPool();
		const [crashed, other] = await Promise.allSettled([run('crash'), pid()]);
		expect(crashed).toMatchObject({ reason: expect.any(Crash) });
		expect(other.status).toBe('fulfilled');
	});

	it.each(['babble', 'babble JSON', 'babble null'])('by %s, is taken for crashed', async (task) => {
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

	it('is quoted with what it said last', async () => {
		const { run } = createPool();
		await expect(run('talk and die')).rejects.toThrow(/Segmentation fault/);
	});

	it('by dying while it rests, is replaced without anybody noticing', async () => {
		const { pid } = createPool();
		const first = await pid();
		process.kill(first, 'SIGKILL');
		expect(await pid()).not.toBe(first);
	});

	it('by never answering, is killed', async () => {
		const { pool, pid } = createPool();
		const before = await pid();
		await expect(pool.run('hang', { timeoutMs: 50 })).rejects.toBeInstanceOf(TaskTimeout);
		expect(await pid()).not.toBe(before);
	});

	it('at something that is not the fault of its task, says so', async () => {
		const { run } = createPool();
		const error = await run('fail').catch((reason) => reason);
		expect(error).toMatchObject({ message: 'EACCES' });
		expect(error).not.toBeInstanceOf(Crash);
	});
});

describe('a process that goes on', () => {
	it('after a refusal, with its code and its sentence', async () => {
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

	it('although it talks much', async () => {
		const { run } = createPool();
		expect(await run('talk much')).toEqual(expect.any(Number));
	});
});

describe('a task that nobody waits for any more', () => {
	const reason = new Error('The client left.');

	it('never starts when it still waits', async () => {
		const { run, pid } = createPool();
		const leaving = new AbortController();
		const first = pid();
		const waiting = run('mark once', leaving.signal);
		leaving.abort(reason);
		await expect(waiting).rejects.toBe(reason);
		await first;
		expect(await run('mark once')).toBe(true);
	});

	it('rejects at once, and when it takes long its process is replaced', async () => {
		const { run, pid } = createPool({ abortGraceMs: 20 });
		const before = await pid();
		const leaving = new AbortController();
		const running = run('hang', leaving.signal);
		const next = pid();
		// The task has been handed over by then.
		await new Promise((resolve) => setImmediate(resolve));
		leaving.abort(reason);
		await expect(running).rejects.toBe(reason);
		expect(await next).not.toBe(before);
	});

	it('leaves a process alone that is only starting', async () => {
		const { pool, run, pid } = createPool({ abortGraceMs: 0 });
		const leaving = new AbortController();
		const running = run('anything', leaving.signal);
		await new Promise((resolve) => setImmediate(resolve));
		const [starting] = pool.pids;
		leaving.abort(reason);
		await expect(running).rejects.toBe(reason);
		expect(await pid()).toBe(starting);
	});

	it('leaves its process alone when that is done in time', async () => {
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
