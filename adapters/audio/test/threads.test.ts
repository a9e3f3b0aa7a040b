import { eventually, type ManualClock, manualClock } from '@plinth/testing';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { threadedEncoder } from '../src/encoder.ts';
import { Threads } from '../src/threads.ts';
import { collect, endless, mono, tone } from './sound.ts';

/** Bit rates that tell the threads of these tests how to behave; any other echoes. */
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
	const bitrates = { mp3: echoing, opus: crashing, aac: silent };
	const encoder = threadedEncoder(pool, concurrency, bitrates);
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
	it('ends at once when it is aborted, and lets its source go', async () => {
		const { encoder } = start();
		const stop = new AbortController();
		const { source, reader } = await begin(encoder, stop.signal);
		expect((await reader.next()).done).toBe(false);
		const reason = new Error('The client has disconnected.');
		stop.abort(reason);
		await expect(reader.next()).rejects.toBe(reason);
		await source.closed;
	});

	it('ends while the thread is silent and while the source is', async () => {
		const { encoder, pool } = start();
		const stop = new AbortController();
		const reason = new Error('The client has disconnected.');
		const never: AsyncIterable<Uint8Array> = {
			[Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
		};
		const waiting = await Promise.all([
			encoder.encode(mono(sound), 'aac', stop.signal),
			encoder.encode({ ...mono(sound), body: never }, 'mp3', stop.signal),
		]);
		const ends = Promise.allSettled(waiting.map(({ body }) => collect(body)));
		await eventually('both are under way', () => pool.size === 1);
		stop.abort(reason);
		expect(await ends).toEqual([
			{ status: 'rejected', reason },
			{ status: 'rejected', reason },
		]);
	});

	it('ends when its reader leaves, and lets its source go', async () => {
		const { encoder } = start();
		const { source, reader } = await begin(encoder);
		await reader.next();
		await reader.return?.();
		await source.closed;
	});

	it('asks for no more than is read', async () => {
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

	it('fails with its source, whose failure it passes on', async () => {
		const { encoder } = start();
		const failure = new Error('The model stopped.');
		async function* broken(): AsyncGenerator<Uint8Array> {
			yield sound;
			throw failure;
		}
		const { body } = await encoder.encode({ ...mono(sound), body: broken() }, 'mp3', signal);
		await expect(collect(body)).rejects.toBe(failure);
	});

	it('is refused at a rate that not all formats have', async () => {
		const { encoder } = start();
		const odd = { ...mono(sound), sampleRate: 14_400 };
		await expect(encoder.encode(odd, 'mp3', signal)).rejects.toThrow(RangeError);
	});

	it('waits for a place', async () => {
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
	it('that crashes fails what it works on, and is replaced', async () => {
		const { encoder } = start();
		const { reader } = await begin(encoder);
		await reader.next();
		await expect(read(encoder, 'opus')).rejects.toMatchObject(failed);
		await expect(reader.next()).rejects.toMatchObject(failed);
		expect(await read(encoder, 'mp3')).toHaveLength(sound.length + 1);
	});

	it('that is silent for too long is given up', async () => {
		const { encoder, pool } = start();
		const answer = read(encoder, 'aac').catch((error: unknown) => error);
		await eventually('the thread is asked', () => pool.size === 1);
		await clock.advance(30_000);
		expect(await answer).toMatchObject(failed);
		expect(await read(encoder, 'mp3')).toHaveLength(sound.length + 1);
	});

	it('that fails an encoding goes on with the others, and what it says stays in the log', async () => {
		const { pool } = start();
		const encoder = threadedEncoder(pool, 8, { mp3: echoing, opus: failing, aac: silent });
		const { reader } = await begin(encoder);
		const error = await read(encoder, 'opus').catch((reason: Error) => reason);
		expect(error).toMatchObject({ ...failed, cause: 'a secret' });
		expect((error as Error).message).not.toContain('secret');
		expect((await reader.next()).done).toBe(false);
		await reader.return?.();
	});

	it('is joined by another one when it is busy, as far as there may be more', async () => {
		const { encoder, pool } = start({ threads: 2 });
		const readers = [await begin(encoder), await begin(encoder), await begin(encoder)];
		for (const { reader } of readers) await reader.next();
		expect(pool.size).toBe(2);
		for (const { reader } of readers) await reader.return?.();
	});

	it('ends when nothing has come for a while', async () => {
		const { encoder, pool } = start({ idleMs: 50 });
		expect(pool.size).toBe(0);
		await read(encoder, 'mp3');
		expect(pool.size).toBe(1);
		await eventually('it has ended', () => pool.size === 0);
	});

	it('is stopped with the server, and so is what waits for it', async () => {
		const { encoder, pool } = start();
		const answer = read(encoder, 'aac').catch((error: unknown) => error);
		await eventually('the thread is asked', () => pool.size === 1);
		await pool.stop();
		expect(await answer).toMatchObject({ code: 'E_STOPPING' });
		expect(pool.size).toBe(0);
		await expect(read(encoder, 'mp3')).rejects.toMatchObject({ code: 'E_STOPPING' });
	});
});
