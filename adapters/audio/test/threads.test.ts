import { eventually, type ManualClock, manualClock } from '@plinth/testing';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { threadedEncoder } from '../src/encoder.ts';
import { Threads } from '../src/threads.ts';
import { collect, endless, mono, tone } from './sound.ts';

/** Bit rates that select the behaviour of the test worker. It echoes at any other. */
const [crashing, silent, failing, echoing] = [1, 2, 3, 64];
const { signal } = new AbortController();
const sound = tone(100);
const failed = { code: 'E_MODEL_FAILED' };

let clock: ManualClock;

beforeEach(() => {
	clock = manualClock();
});

function start({ threads = 1, concurrency = 8, idleMs = 10_000 } = {}) {
	const file = new URL('./fixtures/worker.ts', import.meta.url);
	const pool = new Threads({ clock, file, threads, concurrency, responseTimeoutMs: 30_000, idleMs });
	onTestFinished(() => pool.stop());
	const bitrates = { mp3: echoing, opus: crashing, aac: silent, flac: 0 };
	const encoder = threadedEncoder(pool, bitrates);
	return { pool, encoder };
}

type Encoder = ReturnType<typeof start>['encoder'];

async function read(encoder: Encoder, format: 'mp3' | 'opus' | 'aac'): Promise<Buffer> {
	return collect((await encoder.encode(mono(sound), format, signal)).body);
}

async function begin(encoder: Encoder, ended: AbortSignal = signal) {
	const source = endless();
	const { body } = await encoder.encode(source, 'mp3', ended);
	return { source, reader: body[Symbol.asyncIterator]() };
}

describe('an encoding', () => {
	it('ends immediately on an abort and closes its source', async () => {
		const { encoder } = start();
		const stop = new AbortController();
		const { source, reader } = await begin(encoder, stop.signal);
		expect((await reader.next()).done).toBe(false);
		const reason = new Error('The client disconnected.');
		stop.abort(reason);
		await expect(reader.next()).rejects.toBe(reason);
		await source.closed;
	});

	it('ends on an abort while the thread or the source is silent', async () => {
		const { encoder, pool } = start();
		const stop = new AbortController();
		const reason = new Error('The client disconnected.');
		const never: AsyncIterable<Uint8Array> = {
			[Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
		};
		const waiting = await Promise.all([
			encoder.encode(mono(sound), 'aac', stop.signal),
			encoder.encode({ ...mono(sound), body: never }, 'mp3', stop.signal),
		]);
		const ends = Promise.allSettled(waiting.map(({ body }) => collect(body)));
		await eventually('both encodings run', () => pool.size === 1);
		stop.abort(reason);
		expect(await ends).toEqual([
			{ status: 'rejected', reason },
			{ status: 'rejected', reason },
		]);
	});

	it('ends when its reader stops, and closes its source', async () => {
		const { encoder } = start();
		const { source, reader } = await begin(encoder);
		await reader.next();
		await reader.return?.();
		await source.closed;
	});

	it('reads no more of its source than its reader consumes', async () => {
		const { encoder } = start();
		let made = 0;
		async function* counted(): AsyncGenerator<Uint8Array> {
			for (;;) {
				made += 1;
				yield sound;
			}
		}
		const { body } = await encoder.encode({ ...mono(sound), body: counted() }, 'mp3', signal);
		const reader = body[Symbol.asyncIterator]();
		for (let step = 0; step < 3; step++) await reader.next();
		expect(made).toBe(3);
		await reader.return?.();
	});

	it('fails with the error of its source', async () => {
		const { encoder } = start();
		const failure = new Error('The model stopped.');
		async function* broken(): AsyncGenerator<Uint8Array> {
			yield sound;
			throw failure;
		}
		const { body } = await encoder.encode({ ...mono(sound), body: broken() }, 'mp3', signal);
		await expect(collect(body)).rejects.toBe(failure);
	});

	it('rejects a sample rate that not all formats support', async () => {
		const { encoder } = start();
		const odd = { ...mono(sound), sampleRate: 14_400 };
		await expect(encoder.encode(odd, 'mp3', signal)).rejects.toThrow(RangeError);
	});

	it('waits for a free slot', async () => {
		const { encoder } = start({ concurrency: 1 });
		const { reader } = await begin(encoder);
		await reader.next();
		const waiting = read(encoder, 'mp3');
		const stop = new AbortController();
		const gone = await begin(encoder, stop.signal);
		const next = gone.reader.next();
		stop.abort(new Error('gone'));
		await expect(next).rejects.toThrow('gone');
		await reader.return?.();
		expect(await waiting).toHaveLength(sound.length + 1);
	});
});

describe('a thread', () => {
	it('fails only its own work when it crashes, and is replaced', async () => {
		const { encoder } = start();
		const { reader } = await begin(encoder);
		await reader.next();
		await expect(read(encoder, 'opus')).rejects.toMatchObject(failed);
		await expect(reader.next()).rejects.toMatchObject(failed);
		expect(await read(encoder, 'mp3')).toHaveLength(sound.length + 1);
	});

	it('is terminated when it stays silent for too long', async () => {
		const { encoder, pool } = start();
		const answer = read(encoder, 'aac').catch((error: unknown) => error);
		await eventually('the thread gets the job', () => pool.size === 1);
		await clock.advance(30_000);
		expect(await answer).toMatchObject(failed);
		expect(await read(encoder, 'mp3')).toHaveLength(sound.length + 1);
	});

	it('continues with other work after a failed encoding, whose error is logged', async () => {
		const { pool } = start();
		const encoder = threadedEncoder(pool, { mp3: echoing, opus: failing, aac: silent, flac: 0 });
		const { reader } = await begin(encoder);
		const error = await read(encoder, 'opus').catch((reason: Error) => reason);
		expect(error).toMatchObject({ ...failed, cause: 'a secret' });
		expect((error as Error).message).not.toContain('secret');
		expect((await reader.next()).done).toBe(false);
		await reader.return?.();
	});

	it('gets another thread beside it when it is busy, up to the limit', async () => {
		const { encoder, pool } = start({ threads: 2 });
		const readers = [await begin(encoder), await begin(encoder), await begin(encoder)];
		for (const { reader } of readers) await reader.next();
		expect(pool.size).toBe(2);
		for (const { reader } of readers) await reader.return?.();
	});

	it('ends when it is idle for too long', async () => {
		const { encoder, pool } = start({ idleMs: 50 });
		expect(pool.size).toBe(0);
		await read(encoder, 'mp3');
		expect(pool.size).toBe(1);
		await eventually('it has ended', () => pool.size === 0);
	});

	it('stops with the server, and the waiting work fails', async () => {
		const { encoder, pool } = start();
		const answer = read(encoder, 'aac').catch((error: unknown) => error);
		await eventually('the thread gets the job', () => pool.size === 1);
		await pool.stop();
		expect(await answer).toMatchObject({ code: 'E_STOPPING' });
		expect(pool.size).toBe(0);
		await expect(read(encoder, 'mp3')).rejects.toMatchObject({ code: 'E_STOPPING' });
	});
});
