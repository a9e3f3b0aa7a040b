import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../support/client.ts';
import { ffprobe } from '../support/programs.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';
import { pitchOf, type Spectrum, spectralDistance, spectrumOf } from '../support/spectrum.ts';
import { readWav } from '../support/wav.ts';

const voices = 'alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar'.split(' ');
/** In dB. Repeating the sentence in the same voice gives 0. */
const clearly = 1.5;
const input = 'The quick brown fox jumps over the lazy dog near the river.';

let served: Served;
let client: RawClient;

beforeAll(async () => {
	served = await serveEmbedded();
	client = rawClient(served.url, keyA);
});

afterAll(() => served?.stop());

async function speak(fields: Record<string, unknown> = {}): Promise<Uint8Array> {
	const response = await client.post('/v1/audio/speech', {
		model: 'builtin-speech',
		voice: 'nova',
		response_format: 'wav',
		input,
		...fields,
	});
	if (response.status !== 200) throw new Error(await response.text());
	return new Uint8Array(await response.arrayBuffer());
}

describe('a spoken WAV', () => {
	test('matches its header, by an independent decoder', async () => {
		const bytes = await speak();
		const file = join(served.dataDir, 'speech.wav');
		await writeFile(file, bytes);
		const { sampleRate, seconds } = readWav(bytes);
		const probe = await ffprobe(file);
		expect(probe).toMatchObject({
			codec_name: 'pcm_s16le',
			channels: 1,
			sample_rate: String(sampleRate),
		});
		expect(Number(probe.duration)).toBeCloseTo(seconds, 3);
	});

	test('is speech and not noise: most of its energy is below 4 kHz and in syllables', async () => {
		const wav = readWav(await speak());
		const { lowShare, pauses } = spectrumOf(wav);
		expect(lowShare).toBeGreaterThan(0.9);
		expect(pauses).toBeGreaterThan(0.05);
	});

	test.each([0.5, 0.8, 1.5, 2, 4])('has the duration of speed %d', async (speed) => {
		const [plain, changed] = [readWav(await speak()), readWav(await speak({ speed }))];
		expect((changed.seconds * speed) / plain.seconds).toBeGreaterThan(0.85);
		expect((changed.seconds * speed) / plain.seconds).toBeLessThan(1.15);
	});

	test('is longer for longer text', async () => {
		const [one, three] = [await speak(), await speak({ input: `${input} ${input} ${input}` })];
		const ratio = readWav(three).seconds / readWav(one).seconds;
		expect(ratio).toBeGreaterThan(2.7);
		expect(ratio).toBeLessThan(3.7);
	});

	test('speaks 4,096 characters', async () => {
		const wav = readWav(await speak({ input: `${input} `.repeat(80).slice(0, 4_096) }));
		expect(wav.seconds).toBeGreaterThan(120);
	});
});

describe('the voices', () => {
	const heard: { voice: string; spectrum: Spectrum; pitch: number }[] = [];

	beforeAll(async () => {
		for (const voice of voices) {
			const wav = readWav(await speak({ voice }));
			heard.push({ voice, spectrum: spectrumOf(wav), pitch: pitchOf(wav) });
		}
	}, 60_000);

	test('all differ from each other in sound', () => {
		const alike = heard.flatMap((one, index) =>
			heard.slice(index + 1).flatMap((other) => {
				const distance = spectralDistance(one.spectrum, other.spectrum);
				return distance < clearly ? [`${one.voice} / ${other.voice}: ${distance.toFixed(1)} dB`] : [];
			}),
		);
		expect(alike).toEqual([]);
	});

	test('range from low to high', () => {
		const pitches = heard.map(({ pitch }) => pitch);
		expect(Math.max(...pitches) / Math.min(...pitches)).toBeGreaterThan(1.4);
	});
});
