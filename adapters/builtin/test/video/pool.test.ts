import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StillJob } from '../../src/video/jobs.ts';
import { createPool } from '../../src/video/pool.ts';

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'plinth-pool-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The pool does not look into jobs; these workers do not either. */
const job = { kind: 'still' } as unknown as StillJob;
const never = new AbortController().signal;

async function poolOf(size: number, code: string) {
	const file = join(folder, `${crypto.randomUUID()}.mjs`);
	const head = "import { parentPort, threadId } from 'node:worker_threads';\n";
	await writeFile(file, head + code);
	return createPool(size, pathToFileURL(file));
}

const echo = "parentPort.on('message', () => parentPort.postMessage({ kind: 'answer', answer: threadId }));";

describe('the pool', () => {
	it('reports a crashed worker instead of hanging, and goes on with a new one', async () => {
		const pool = await poolOf(
			1,
			"parentPort.on('message', ({ job }) => { if (job.crash) process.exit(3); parentPort.postMessage({ kind: 'answer', answer: 1 }); });",
		);
		const crash = { ...job, crash: true } as StillJob;
		const outcomes = await Promise.allSettled([pool.run(crash, { signal: never }), pool.run(job, { signal: never })]);
		expect(outcomes[0]).toMatchObject({
			status: 'rejected',
			reason: { message: expect.stringContaining('crashed') },
		});
		expect(outcomes[1]).toEqual({ status: 'fulfilled', value: 1 });
		await pool.close();
	});

	it('says why when the code of the worker cannot be loaded', async () => {
		const pool = await poolOf(1, "throw new Error('bad wasm');");
		const failed = pool.run(job, { signal: never });
		await expect(failed).rejects.toMatchObject({ cause: { message: 'bad wasm' } });
		await pool.close();
	});

	it('passes on the failure of one job', async () => {
		const pool = await poolOf(
			1,
			"parentPort.on('message', () => parentPort.postMessage({ kind: 'failure', error: new Error('no frame') }));",
		);
		await expect(pool.run(job, { signal: never })).rejects.toThrow('no frame');
		await pool.close();
	});

	it('goes on after a job that cannot be sent', async () => {
		const pool = await poolOf(1, echo);
		const unsendable = { ...job, run: () => {} } as unknown as StillJob;
		for (let time = 0; time < 2; time++) {
			await expect(pool.run(unsendable, { signal: never })).rejects.toMatchObject({
				cause: { name: 'DataCloneError' },
			});
			expect(await pool.run(job, { signal: never })).toEqual(expect.any(Number));
		}
		await pool.close();
	});

	it('starts no more workers than it may, and reuses them', async () => {
		const pool = await poolOf(2, echo);
		const ids = await Promise.all(Array.from({ length: 8 }, () => pool.run(job, { signal: never })));
		expect(new Set(ids).size).toBeLessThanOrEqual(2);
		await pool.close();
	});

	it('rejects at once when the signal aborts, and takes waiting jobs back', async () => {
		const pool = await poolOf(
			1,
			"parentPort.on('message', ({ stop }) => { Atomics.wait(stop, 0, 0); parentPort.postMessage({ kind: 'failure', error: new Error('stopped') }); });",
		);
		const abort = new AbortController();
		const running = pool.run(job, { signal: abort.signal });
		const waiting = pool.run(job, { signal: abort.signal });
		abort.abort(new Error('cancelled by the client'));
		await expect(running).rejects.toThrow('cancelled by the client');
		await expect(waiting).rejects.toThrow('cancelled by the client');
		await expect(pool.run(job, { signal: abort.signal })).rejects.toThrow('cancelled by the client');
		await pool.close();
	});

	it('rejects what is under way and what comes later when it closes', async () => {
		const pool = await poolOf(1, "parentPort.on('message', () => {});");
		const running = pool.run(job, { signal: never });
		const outcome = expect(running).rejects.toThrow('was stopped');
		await pool.close();
		await outcome;
		await expect(pool.run(job, { signal: never })).rejects.toThrow('was stopped');
	});
});
