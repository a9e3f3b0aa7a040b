import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { audioEncoder } from '@plinth/audio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../support/client.ts';
import { decodeErrors, ffprobe } from '../support/programs.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';
import { readSamples } from '../support/wav.ts';

const exec = promisify(execFile);
const input = 'She sells sea shells by the sea shore. The quick brown fox jumps over the lazy dog near the river!';
const sampleRate = 24_000;
/** The maximum shift of decoded sound in each direction, in samples: the look-ahead of an encoder. */
const mostShift = 2_500;

let served: Served;
let client: RawClient;
let source: Int16Array;

beforeAll(async () => {
	served = await serveEmbedded({ backends: { audio: audioEncoder() } });
	client = rawClient(served.url, keyA);
	source = readSamples(await speak('pcm'));
}, 60_000);

afterAll(() => served?.stop());

async function ask(format: string, text = input): Promise<Response> {
	const response = await client.post('/v1/audio/speech', {
		model: 'builtin-speech',
		voice: 'nova',
		response_format: format,
		input: text,
	});
	if (response.status !== 200) throw new Error(await response.text());
	return response;
}

async function speak(format: string): Promise<Uint8Array> {
	return new Uint8Array(await (await ask(format)).arrayBuffer());
}

/** Each format is generated once. */
const files = new Map<string, string>();

async function stored(format: string): Promise<string> {
	const file = files.get(format) ?? join(served.dataDir, `speech.${format}`);
	if (!files.has(format)) await writeFile(file, await speak(format));
	files.set(format, file);
	return file;
}

/** Decodes a file with an independent decoder to 24 kHz mono. */
async function decoded(file: string): Promise<Int16Array> {
	const raw = `${file}.raw`;
	const form = ['-f', 's16le', '-ac', '1', '-ar', String(sampleRate)];
	await exec('ffmpeg', ['-v', 'error', '-y', '-i', file, ...form, raw]);
	return readSamples(await readFile(raw));
}

/** Pearson's correlation at the best alignment. It is searched with every sixteenth sample, then refined with all. */
function likeness(one: Int16Array, other: Int16Array): number {
	const coarse = Array.from({ length: mostShift }, (_, index) => 2 * index - mostShift);
	const near = best(coarse, (shift) => correlation(one, other, shift, 16));
	const fine = [near - 1, near, near + 1];
	return Math.max(...fine.map((shift) => correlation(one, other, shift, 1)));
}

function best(shifts: readonly number[], score: (shift: number) => number): number {
	let [winner, most] = [0, Number.NEGATIVE_INFINITY];
	for (const shift of shifts) {
		const reached = score(shift);
		if (reached > most) [winner, most] = [shift, reached];
	}
	return winner;
}

function correlation(one: Int16Array, other: Int16Array, shift: number, step: number): number {
	let [product, ones, others] = [0, 0, 0];
	for (let at = mostShift; at < one.length - mostShift; at += step) {
		const [a, b] = [one[at] ?? 0, other[at + shift] ?? 0];
		product += a * b;
		ones += a * a;
		others += b * b;
	}
	return product / Math.sqrt(ones * others || 1);
}

describe('an independent decoder', () => {
	test.each([
		['mp3', 'mp3', sampleRate, 3 * 576],
		// Opus decoders always return 48 kHz.
		['opus', 'opus', 48_000, 0],
		['aac', 'aac', sampleRate, 2 * 1_024],
		['flac', 'flac', sampleRate, 0],
	])('decodes %s without a warning', async (format, codec, rate, slack) => {
		const file = await stored(format);
		const probe = await ffprobe(file);
		expect(probe).toMatchObject({ codec_name: codec, sample_rate: String(rate), channels: 1 });
		// These formats have no length in their header. Players guess it from the size.
		const complaints = (await decodeErrors(file)).replace(/.*Estimating duration.*\n/, '');
		expect(complaints).toBe('');
		const { length } = await decoded(file);
		expect(length).toBeGreaterThanOrEqual(source.length);
		expect(length).toBeLessThanOrEqual(source.length + slack);
	});

	test.each(['mp3', 'opus', 'aac'])('decodes %s to nearly the original samples', async (format) => {
		const heard = await decoded(await stored(format));
		expect(likeness(source, heard)).toBeGreaterThan(0.95);
		expect(likeness(source, heard.toReversed())).toBeLessThan(0.5);
	});

	test('decodes flac to exactly the original samples', async () => {
		const samples = await decoded(await stored('flac'));
		expect(Buffer.compare(Buffer.from(samples.buffer), Buffer.from(source.buffer))).toBe(0);
	});

	test('reads the length of mp3 and opus without decoding them', async () => {
		for (const format of ['mp3', 'opus']) {
			const { duration } = await ffprobe(await stored(format));
			expect(Math.abs(Number(duration) - source.length / sampleRate)).toBeLessThan(0.08);
		}
	});
});

function total({ user, system }: NodeJS.CpuUsage): number {
	return user + system;
}

describe('4,096 characters', () => {
	test('start early, are complete, and keep the server’s main thread free', async () => {
		const text = `${input} `.repeat(50).slice(0, 4_096);
		const [onThread, inProcess] = [process.threadCpuUsage(), process.cpuUsage()];
		const began = performance.now();
		const { body } = await ask('opus', text);
		const parts: Uint8Array[] = [];
		let first = Number.POSITIVE_INFINITY;
		for await (const part of body ?? []) {
			first = Math.min(first, performance.now() - began);
			parts.push(part);
		}
		expect(first).toBeLessThan((performance.now() - began) / 2);
		// CPU time instead of response times, which a busy machine would distort. Encoding Opus in this thread would take
		// half of the time.
		const share = total(process.threadCpuUsage(onThread)) / total(process.cpuUsage(inProcess));
		expect(share).toBeLessThan(0.3);
		const file = join(served.dataDir, 'long.opus');
		await writeFile(file, Buffer.concat(parts));
		expect((await decoded(file)).length / sampleRate).toBeGreaterThan(120);
	});
});
