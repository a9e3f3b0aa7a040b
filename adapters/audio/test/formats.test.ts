import type { AudioEncoder, EncodedAudioFormat } from '@plinth/plugin-speech/model';
import { createBackend, type RunningBackend } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audioEncoder } from '../src/index.ts';
import { readAdts, readFlac, readMp3, readOpus } from './containers.ts';
import { collect, mono, sampleRate, tone } from './sound.ts';

const { signal } = new AbortController();
const formats = ['mp3', 'opus', 'aac', 'flac'] as const;

let running: RunningBackend<AudioEncoder>;

beforeAll(async () => {
	running = await createBackend<AudioEncoder>(audioEncoder());
});

afterAll(() => running?.stop());

async function encode(format: EncodedAudioFormat, sound: Uint8Array, chunkBytes?: number): Promise<Buffer> {
	const { body } = await running.provided.encode(mono(sound, chunkBytes), format, signal);
	return collect(body);
}

/**
 * For each format: its reader, the number of samples at 24 kHz that it plays, and how many more than the source has are
 * allowed.
 */
const readers = {
	// LAME adds two frames before the sound and fills up the last one.
	mp3: (bytes: Buffer) => ({ ...readMp3(bytes), slack: 3 * 576 }),
	opus: (bytes: Buffer) => {
		const { samples, ...facts } = readOpus(bytes);
		return { ...facts, samples: samples / 2, slack: 0 };
	},
	// One frame is added before the sound, and the last one is filled up.
	aac: (bytes: Buffer) => ({ ...readAdts(bytes), slack: 2 * 1_024 }),
	flac: (bytes: Buffer) => ({ ...readFlac(bytes), slack: 0 }),
} as const;

describe('an encoded file', () => {
	it.each([
		['mp3', 'audio/mpeg', { sampleRate, channels: 1, kbps: 64 }],
		['opus', 'audio/ogg', { inputRate: sampleRate, channels: 1, pages: 5 }],
		['aac', 'audio/aac', { sampleRate, channels: 1 }],
		// The header is sent first, so it lacks values that are known only at the end.
		['flac', 'audio/flac', { sampleRate, channels: 1, bitsPerSample: 16, saidSamples: 0, md5: '0'.repeat(32) }],
	] as const)('is well-formed %s and as long as its source', async (format, mediaType, facts) => {
		const length = 30_001;
		const audio = await running.provided.encode(mono(tone(length)), format, signal);
		expect(audio).toMatchObject({ format, mediaType });
		const { slack, ...read } = readers[format](await collect(audio.body));
		expect(read).toMatchObject(facts);
		expect(read.samples).toBeGreaterThanOrEqual(length);
		expect(read.samples).toBeLessThanOrEqual(length + slack);
	});

	it.each(formats)('can hold a single sample: %s', async (format) => {
		const { samples, slack } = readers[format](await encode(format, tone(1)));
		expect(samples).toBeGreaterThanOrEqual(1);
		expect(samples).toBeLessThanOrEqual(1 + slack);
	});

	it.each(formats)('can hold silence: %s', async (format) => {
		const { samples } = readers[format](await encode(format, new Uint8Array(sampleRate)));
		expect(samples).toBeGreaterThanOrEqual(sampleRate / 2);
	});

	it.each(formats)('is not made from an empty source: %s', async (format) => {
		expect(await encode(format, new Uint8Array(0))).toHaveLength(0);
	});

	it.each(formats)('does not depend on the chunk boundaries of its source: %s', async (format) => {
		const sound = tone(15_000);
		const whole = await encode(format, sound);
		expect(Buffer.compare(await encode(format, sound, 1_234), whole)).toBe(0);
	});
});

describe('the options', () => {
	it('set the bit rates', async () => {
		// Strings, as they come from a YAML file with variables.
		const options = { mp3Kbps: '32', opusKbps: '12', aacKbps: 24, threads: '1' } as const;
		const { provided, stop } = await createBackend<AudioEncoder>(audioEncoder(options));
		for (const [format, kbps] of [
			['mp3', 32],
			['opus', 12],
			['aac', 24],
		] as const) {
			const { body } = await provided.encode(mono(tone(sampleRate)), format, signal);
			const expected = (kbps * 1_000) / 8;
			const { length } = await collect(body);
			expect(length).toBeGreaterThan(expected / 2);
			expect(length).toBeLessThan(expected * 1.5);
		}
		await stop();
	});

	it.each([
		[{ mp3Kbps: 65 }],
		[{ opusKbps: 5 }],
		[{ aacKbps: 500 }],
		[{ threads: 0 }],
		[{ concurrency: 1.5 }],
		[{ bitrate: 64 }],
	])('are checked: %j', async (options) => {
		const wrong = options as Parameters<typeof audioEncoder>[0];
		await expect(async () => createBackend(audioEncoder(wrong))).rejects.toThrow();
	});
});
