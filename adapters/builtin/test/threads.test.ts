import { afterEach, beforeEach, expect, test } from 'vitest';
import { Threads } from '../src/threads.ts';
import type { Job } from './fixtures/worker.ts';

let threads: Threads<Job, string, 'started'>;

beforeEach(() => {
	threads = new Threads({ file: new URL('./fixtures/worker.ts', import.meta.url), threads: 1 });
});
afterEach(() => threads.close());

/** Starts a job that never ends. `started` resolves when a thread runs it. */
function loop(signal?: AbortSignal) {
	const { promise: started, resolve } = Promise.withResolvers<void>();
	const result = threads.run('loop', { signal, onReport: () => resolve() });
	result.catch(() => {});
	return { started, result };
}

test.each(['throw', 'exit'] as const)('a thread that ends by "%s" fails only its own job', async (job) => {
	await expect(threads.run(job)).rejects.toMatchObject({ message: expect.stringContaining('stopped unexpectedly') });
	expect(await threads.run('echo')).toBe('echo');
});

test('a module that cannot be loaded fails each job, with its cause', async () => {
	const broken = new Threads<Job, string>({ file: new URL('./fixtures/nowhere.ts', import.meta.url), threads: 1 });
	for (let round = 0; round < 2; round++) {
		const cause = expect.objectContaining({ code: 'ERR_MODULE_NOT_FOUND' });
		await expect(broken.run('echo')).rejects.toMatchObject({ code: 'E_MODEL_FAILED', cause });
	}
	await broken.close();
});

test('the cause of a failure is kept', async () => {
	await expect(threads.run('throw')).rejects.toMatchObject({ cause: expect.objectContaining({ message: 'broken' }) });
});

test('an abort ends a looping job, and the queued jobs run', async () => {
	const abort = new AbortController();
	const { started, result } = loop(abort.signal);
	const waiting = [threads.run('echo'), threads.run('echo')];
	await started;
	abort.abort(new Error('gone'));
	await expect(result).rejects.toThrow('gone');
	expect(await Promise.all(waiting)).toEqual(['echo', 'echo']);
});

test('an abort does not fail a job that waits for a thread, even if the aborted one has just ended', async () => {
	const two = new Threads<Job, string>({ file: new URL('./fixtures/worker.ts', import.meta.url), threads: 2 });
	await two.run('echo');
	const abort = new AbortController();
	const aborted = two.run('brief', { signal: abort.signal });
	aborted.catch(() => {});
	const other = two.run('echo');
	await new Promise(setImmediate);
	// The job ends while this thread is blocked, which then reads the response after the abort.
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
	abort.abort(new Error('gone'));
	await expect(aborted).rejects.toThrow('gone');
	expect(await other).toBe('echo');
	await two.close();
});

test('later jobs run in the thread that was used last, so that the others can end', async () => {
	const two = new Threads<Job, string>({ file: new URL('./fixtures/worker.ts', import.meta.url), threads: 2 });
	await Promise.all([two.run('brief'), two.run('brief')]);
	const ids = [await two.run('id'), await two.run('id'), await two.run('id')];
	expect(new Set(ids).size).toBe(1);
	await two.close();
});

test('an abort ends a queued job', async () => {
	const [first, second] = [new AbortController(), new AbortController()];
	const { started, result } = loop(first.signal);
	const waiting = threads.run('echo', { signal: second.signal });
	await started;
	second.abort(new Error('late'));
	await expect(waiting).rejects.toThrow('late');
	first.abort(new Error('gone'));
	await expect(result).rejects.toThrow('gone');
});

test('close ends the running job, and rejects queued and later ones', async () => {
	const { started, result } = loop();
	const waiting = threads.run('echo');
	await started;
	const stopping = { code: 'E_STOPPING' };
	const refused = [result, waiting].map((job) => expect(job).rejects.toMatchObject(stopping));
	await threads.close();
	await Promise.all(refused);
	await expect(threads.run('echo')).rejects.toMatchObject(stopping);
});
