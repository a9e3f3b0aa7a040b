import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EncodedAudioFormat } from '@plinth/plugin-speech/model';
import type { AudioContainer, AudioDecoder } from '@plinth/plugin-transcription/model';
import { createBackend, eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { audioDecoder, audioEncoder } from '../src/index.ts';
import { collect, mono, sampleRate, tone } from './sound.ts';

const never = new AbortController().signal;
const pcm = tone(4 * sampleRate);
let folder: string;
const paths = new Map<EncodedAudioFormat, string>();

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'plinth-test-audio-'));
	const { provided, stop } = await createBackend(audioEncoder({ opusKbps: 128, mp3Kbps: 160 }));
	for (const format of provided.formats) {
		const path = join(folder, format);
		await writeFile(path, await collect((await provided.encode(mono(pcm), format, never)).body));
		paths.set(format, path);
	}
	await stop();
});

afterAll(() => rm(folder, { recursive: true }));

async function decoder(options: Parameters<typeof audioDecoder>[0] = { ffmpeg: '/nothing/ffmpeg' }) {
	const { provided, stop } = await createBackend<AudioDecoder>(audioDecoder(options));
	onTestFinished(stop);
	return provided;
}

async function samplesOf(made: AudioDecoder, path: string, container: AudioContainer, rate = 16_000) {
	const { sampleRate, samples } = await made.decode({ path, container }, rate, never);
	const all: number[] = [];
	for await (const block of samples) for (const value of block) all.push(value);
	return { sampleRate, samples: all };
}

/** The best correlation of two sounds over several delays; 1 means equal. */
function likeness(samples: readonly number[], rate: number): number {
	const source = Buffer.from(pcm);
	const original = Float64Array.from({ length: rate }, (_, at) =>
		source.readInt16LE(Math.round(((at + rate) * sampleRate) / rate) * 2),
	);
	const sound = Float64Array.from(samples);
	let best = 0;
	for (let delay = 0; delay < rate / 10; delay++) {
		let product = 0;
		let one = 0;
		let other = 0;
		for (let at = 0; at < rate; at += 23) {
			const a = original[at] as number;
			const b = sound[at + rate + delay] as number;
			product += a * b;
			one += a * a;
			other += b * b;
		}
		best = Math.max(best, product / Math.sqrt(one * other));
	}
	return best;
}

const containers = { mp3: 'mp3', opus: 'ogg', flac: 'flac' } as const;

describe('an encoded file', () => {
	it.each(['mp3', 'opus', 'flac'] as const)('decodes to the original sound: %s', async (format) => {
		const made = await decoder();
		const decoded = await samplesOf(made, paths.get(format) ?? '', containers[format]);
		// The decoder keeps the sample rate of the file, except for codecs that decode to any rate.
		expect(decoded.sampleRate).toBe(format === 'opus' ? 16_000 : sampleRate);
		// FLAC has no padding. The other formats may have some at the beginning and the end.
		const seconds = decoded.samples.length / decoded.sampleRate;
		expect(seconds).toBeGreaterThanOrEqual(4);
		expect(seconds).toBeLessThan(format === 'flac' ? 4.000_01 : 4.1);
		expect(likeness(decoded.samples, decoded.sampleRate)).toBeGreaterThan(0.97);
		const loudest = decoded.samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
		expect(loudest).toBeCloseTo(12_000 / 32_768, 1);
	});
});

describe('a file that cannot be decoded', () => {
	it('is rejected with a remedy when the codec is not supported', async () => {
		const made = await decoder();
		await expect(samplesOf(made, paths.get('aac') ?? '', 'mp4')).rejects.toMatchObject({
			code: 'E_VALUE_INVALID',
			param: 'file',
			message: expect.stringContaining('ffmpeg'),
		});
	});

	it.each([
		['of zeros', Buffer.alloc(5_000)],
		['of text', Buffer.from('OggS but not really'.repeat(100))],
		['that is empty', Buffer.alloc(0)],
	])('%s is damaged', async (_, bytes) => {
		const path = join(folder, 'damaged');
		await writeFile(path, bytes);
		await expect(samplesOf(await decoder(), path, 'ogg')).rejects.toMatchObject({
			code: 'E_VALUE_INVALID',
			param: 'file',
		});
	});
});

describe('decoding', () => {
	it('stops on an abort, before and during the work', async () => {
		const made = await decoder();
		const file = { path: paths.get('flac') ?? '', container: 'flac' } as const;
		const reason = new Error('The client disconnected.');
		await expect(made.decode(file, 16_000, AbortSignal.abort(reason))).rejects.toBe(reason);
		const stop = new AbortController();
		const { samples } = await made.decode(file, 16_000, stop.signal);
		const iterator = samples[Symbol.asyncIterator]();
		await iterator.next();
		stop.abort(reason);
		await expect(iterator.next()).rejects.toBe(reason);
	});

	it('stops when the reader stops, and frees the slot', async () => {
		const made = await decoder({ concurrency: 1, threads: 1, ffmpeg: '/nothing/ffmpeg' });
		const file = { path: paths.get('mp3') ?? '', container: 'mp3' } as const;
		for (let round = 0; round < 3; round++) {
			const { samples } = await made.decode(file, 16_000, never);
			for await (const _ of samples) break;
		}
		// An abort frees the slot even if nothing was read.
		const stop = new AbortController();
		await made.decode(file, 16_000, stop.signal);
		stop.abort();
		expect((await samplesOf(made, file.path, 'mp3')).samples.length).toBeGreaterThan(90_000);
	});
});

it('keeps no file open after a decoding, whether it is read to its end or not', async () => {
	const made = await decoder();
	const openFiles = () => readdirSync('/proc/self/fd').filter((fd) => targetOf(fd).startsWith(folder));
	for (const [format, container] of [
		['mp3', 'mp3'],
		['opus', 'ogg'],
		['flac', 'flac'],
	] as const) {
		const path = paths.get(format) ?? '';
		await samplesOf(made, path, container);
		for await (const _ of (await made.decode({ path, container }, 16_000, never)).samples) break;
	}
	await eventually('all files are closed', () => openFiles().length === 0);
});

function targetOf(fd: string): string {
	try {
		return readlinkSync(`/proc/self/fd/${fd}`);
	} catch {
		return '';
	}
}

/** A script that replaces ffmpeg. */
async function program(script: string): Promise<string> {
	const path = join(folder, `program-${Math.random()}`);
	await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
	return path;
}

describe('ffmpeg', () => {
	it('decodes formats that the libraries do not support, at the requested rate', async () => {
		const made = await decoder({
			ffmpeg: await program(`printf '%s' "$*" >&2; printf '\\0\\0\\0\\77\\0\\0\\200\\277\\0'`),
		});
		const { sampleRate, samples } = await samplesOf(made, paths.get('aac') ?? '', 'mp4');
		expect([sampleRate, ...samples]).toEqual([16_000, 0.5, -1]);
	});

	it('gets the format, may read only files, and inherits none of our environment variables', async () => {
		process.env.SECRET_OF_TEST = 'x';
		const seen = join(folder, 'seen');
		const made = await decoder({ ffmpeg: await program(`echo "$*" > ${seen}; env >> ${seen}; printf '\\0\\0\\0\\0'`) });
		await samplesOf(made, paths.get('aac') ?? '', 'mp4');
		const text = await readFile(seen, 'utf8');
		expect(text).toContain('-protocol_whitelist file -f mov -i file:');
		expect(text).not.toContain('SECRET_OF_TEST');
		delete process.env.SECRET_OF_TEST;
	});

	it.each(['exit 1', ':'])('fails the decoding when it prints nothing: %s', async (script) => {
		const made = await decoder({ ffmpeg: await program(script) });
		await expect(samplesOf(made, paths.get('aac') ?? '', 'mp4')).rejects.toMatchObject({ param: 'file' });
	});

	it.each(['exit 69', 'kill -9 $$'])('fails a decoding that it does not finish: %s', async (end) => {
		const made = await decoder({ ffmpeg: await program(`head -c 400000 /dev/zero; ${end}`) });
		await expect(samplesOf(made, paths.get('aac') ?? '', 'mp4')).rejects.toMatchObject({ param: 'file' });
	});

	it('is killed on an abort and when the reader stops', async () => {
		const made = await decoder({ ffmpeg: await program('yes "0123456789012345678901234567890"') });
		const file = { path: paths.get('aac') ?? '', container: 'mp4' } as const;
		for await (const _ of (await made.decode(file, 16_000, never)).samples) break;
		const stop = new AbortController();
		const iterator = (await made.decode(file, 16_000, stop.signal)).samples[Symbol.asyncIterator]();
		await iterator.next();
		stop.abort(new Error('The client disconnected.'));
		await expect(iterator.next()).rejects.toThrow('The client disconnected.');
	});
});
