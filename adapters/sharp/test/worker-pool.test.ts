import { eventually } from '@plinth/core/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Refusal } from '../src/failures.ts';
import { WorkerPool, type WorkerPoolOptions } from '../src/worker/pool.ts';
import { fakeWorker, probe } from './workers.ts';

let fake: Awaited<ReturnType<typeof fakeWorker>>;

beforeEach(async () => {
	fake = await fakeWorker();
});

afterEach(() => fake.remove());

function createPool(options: Partial<WorkerPoolOptions> = {}) {
	const pool = new WorkerPool({ file: fake.file, ...options });
	onTestFinished(() => pool.close());
	const run = (path: string, signal?: AbortSignal) => pool.run({ path }, probe, signal);
	/** Does something harmless, and tells which process did. */
	const pid = async () => (await run('anything')).width;
	return { pool, run, pid };
}

const isAlive = (pid: number) => {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
};

describe('the worker process', () => {
	it('starts with the first picture and takes one after the other', async () => {
		const { pool, pid } = createPool();
		expect(pool.pids).toEqual([]);
		const pids = await Promise.all([pid(), pid(), pid()]);
		expect(new Set(pids)).toEqual(new Set(pool.pids));
		expect(pool.pids).toHaveLength(1);
	});

	it('has company when there are many pictures and more are allowed', async () => {
		const { pool, pid } = createPool({ workers: 2 });
		await Promise.all([pid(), pid(), pid(), pid()]);
		expect(pool.pids).toHaveLength(2);
	});

	it('knows nothing of the environment of the server', async () => {
		process.env.SHARP_TEST_SECRET = 'secret';
		onTestFinished(() => void delete process.env.SHARP_TEST_SECRET);
		const { run } = createPool();
		expect(await run('env')).toMatchObject({ env: { MALLOC_ARENA_MAX: '2' } });
		expect(JSON.stringify(await run('env'))).not.toContain('secret');
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
		const swollen = (await run('swell')).width;
		expect(await pid()).not.toBe(swollen);
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
			expect(end).toMatchObject({ status: 'rejected', reason: { message: /stopped/ } });
		}
		expect(pool.pids).toEqual([]);
	});
});

describe('a worker that fails', () => {
	it('by crashing, is replaced, and its picture tried again', async () => {
		const { run } = createPool();
		expect(await run('crash once')).toMatchObject({ width: expect.any(Number) });
	});

	it('by crashing twice over a picture, makes that one unreadable and no other', async () => {
		const { run, pid } = createPool();
		const [crashed, other] = await Promise.allSettled([run('crash'), pid()]);
		expect(crashed).toMatchObject({ reason: { code: 'E_IMAGE_UNREADABLE' } });
		expect(other.status).toBe('fulfilled');
	});

	it('by sending what is no answer, is taken for crashed', async () => {
		const { run, pid } = createPool();
		const before = await pid();
		await expect(run('babble')).rejects.toMatchObject({ code: 'E_IMAGE_UNREADABLE' });
		expect(await pid()).not.toBe(before);
	});

	it('by dying while it rests, is replaced without anybody noticing', async () => {
		const { pid } = createPool();
		const first = await pid();
		process.kill(first, 'SIGKILL');
		expect(await pid()).not.toBe(first);
	});

	it('by never answering, is killed, and its picture refused', async () => {
		const { run, pid } = createPool({ taskMs: 500 });
		const before = await pid();
		await expect(run('hang')).rejects.toMatchObject({
			code: 'E_IMAGE_TOO_LARGE',
			message: /10 seconds/,
		});
		expect(await pid()).not.toBe(before);
	});

	it('at something that is not the fault of the picture, says so', async () => {
		const { run } = createPool();
		const error = await run('fail').catch((reason) => reason);
		expect(error).toMatchObject({ message: 'EACCES' });
		expect(error).not.toBeInstanceOf(Refusal);
	});

	it('to start, is no fault of the picture', async () => {
		const { run } = createPool({ file: new URL('file:///nowhere/worker.mjs') });
		const error = await run('anything').catch((reason) => reason);
		expect(error).toMatchObject({ message: /does not start/ });
		expect(error).not.toBeInstanceOf(Refusal);
	});
});

describe('a picture that nobody waits for any more', () => {
	const reason = new Error('The client left.');

	it('never starts when it still waits', async () => {
		const { run, pid } = createPool();
		const leaving = new AbortController();
		const first = pid();
		const waiting = run('mark once', leaving.signal);
		leaving.abort(reason);
		await expect(waiting).rejects.toBe(reason);
		await first;
		expect(await run('mark once')).toMatchObject({ first: true });
	});

	it('rejects at once, and when it takes long its worker is replaced', async () => {
		const { run, pid } = createPool({ abandonedMs: 20 });
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

	it('leaves its worker alone when that is done in time', async () => {
		const { run, pid } = createPool({ abandonedMs: 5_000 });
		const before = await pid();
		const leaving = new AbortController();
		const running = run('anything', leaving.signal);
		await new Promise((resolve) => setImmediate(resolve));
		leaving.abort(reason);
		await running.catch(() => {});
		expect(await pid()).toBe(before);
	});
});
