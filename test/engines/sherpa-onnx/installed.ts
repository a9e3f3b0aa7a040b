import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpeechModel } from '@plinth/plugin-speech/model';
import { sherpaOnnx } from '@plinth/sherpa-onnx';
import { silentLogger } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
	sampleRate,
	samplesPerToken,
	writeFolder,
	writeMatcha,
	writePiper,
	writeStyled,
} from '../../../adapters/sherpa-onnx/test/tiny/voices.ts';
import { createHarness, type Harness, transcriptionRequest, transcriptionRun } from './harness.ts';

// Models that are not on npm are given by paths. Each test is registered only when its path is set.
const {
	/** The folder `espeak-ng-data` of an installed espeak-ng. */
	PLINTH_TEST_ESPEAK_NG_DATA: phonemes,
	/** The folder of a real voice, and its family. */
	PLINTH_TEST_SHERPA_VOICE: voiceFolder,
	PLINTH_TEST_SHERPA_VOICE_FAMILY: voiceFamily = 'kokoro',
	/** The folder of a real recognizer, and its family. */
	PLINTH_TEST_SHERPA_RECOGNIZER: recognizerFolder,
	PLINTH_TEST_SHERPA_RECOGNIZER_FAMILY: recognizerFamily = 'whisper',
} = process.env;

/** Registers the tests whose folders exist. */
export function installedTests(): void {
	if (phonemes || voiceFolder || recognizerFolder) describe('with folders of this machine', register);
}

function register(): void {
	let harness: Harness;

	beforeAll(async () => {
		harness = await createHarness();
	});

	afterAll(() => harness.remove());

	if (phonemes) {
		const write = {
			kokoro: (folder: string) => writeStyled(folder, 'kokoro'),
			kitten: (folder: string) => writeStyled(folder, 'kitten'),
			vits: writePiper,
			matcha: writeMatcha,
		};

		test.each(['kokoro', 'kitten', 'vits', 'matcha'] as const)(
			'a tiny voice of %s accepts phonemes',
			async (family) => {
				const folder = join(harness.dir, family);
				await write[family](folder);
				await cp(phonemes, join(folder, 'espeak-ng-data'), { recursive: true });
				const model = await harness.make(sherpaOnnx.speech, { folder, family, threads: 1 });
				const [first = '', ...others] = model.voices?.() ?? [];
				const { rate, pieces, samples, bytes } = await spoken(model, first);
				expect({ rate, pieces }).toEqual({ rate: sampleRate, pieces: 2 });
				expect(samples % samplesPerToken).toBe(0);
				expect(samples / samplesPerToken).toBeGreaterThan(40);
				const fast = await spoken(model, first, 2);
				expect(fast.samples / samples).toBeCloseTo(0.5, 1);
				for (const other of others) expect((await spoken(model, other)).bytes.equals(bytes)).toBe(false);
			},
		);

		test('a tiny Kokoro of version 1.0 takes a language', async () => {
			const folder = join(harness.dir, 'kokoro-1');
			await writeStyled(folder, 'kokoro', { version: 2 });
			await writeFolder(folder, { 'lexicon-us-en.txt': 'light l\n' });
			await cp(phonemes, join(folder, 'espeak-ng-data'), { recursive: true });
			const make = (language: string) =>
				harness.make(sherpaOnnx.speech, { folder, family: 'kokoro', threads: 1, language });
			const english = await spoken(await make('en-us'), 'bo');
			const french = await spoken(await make('fr'), 'bo');
			expect(french.samples).not.toBe(english.samples);
			expect((await spoken(await make('fr'), 'bo')).samples).toBe(french.samples);
		});
	}

	if (voiceFolder) {
		test('a real voice is deterministic', async () => {
			const options = { folder: voiceFolder, family: voiceFamily as 'kokoro' };
			const model = await harness.make(sherpaOnnx.speech, options);
			const [voice = ''] = model.voices?.() ?? [];
			const { rate, samples, bytes } = await spoken(model, voice);
			expect(samples / rate).toBeGreaterThan(2);
			expect(samples / rate).toBeLessThan(15);
			expect(new Set(new Int16Array(bytes.buffer, bytes.byteOffset, samples)).size).toBeGreaterThan(1_000);
			await model.unload?.();
			const again = await spoken(model, voice, 2);
			expect(again.samples / samples).toBeCloseTo(0.5, 0);
		}, 300_000);
	}

	if (recognizerFolder) {
		test('a real recognizer returns no text for silence, in two windows', async () => {
			const options = { folder: recognizerFolder, family: recognizerFamily as 'whisper' };
			const model = await harness.make(sherpaOnnx.transcription, options);
			const request = transcriptionRequest(new Float32Array(40 * 16_000), { timestamps: ['segment'] });
			const heard = await model.transcribe(request, transcriptionRun().run);
			expect(heard.seconds).toBe(40);
			expect(heard.text.length).toBeLessThan(100);
		}, 300_000);
	}

	if (voiceFolder && recognizerFolder) {
		test('a real recognizer transcribes a real voice', async () => {
			const speaker = await harness.make(sherpaOnnx.speech, { folder: voiceFolder, family: voiceFamily as 'kokoro' });
			const [voice = ''] = speaker.voices?.() ?? [];
			const { rate, samples, bytes } = await spoken(speaker, voice);
			const pcm = new Int16Array(bytes.buffer, bytes.byteOffset, samples);
			const length = Math.floor((samples * 16_000) / rate);
			const resampled = Float32Array.from({ length }, (_, at) => (pcm[Math.floor((at * rate) / 16_000)] ?? 0) / 32_768);
			const options = { folder: recognizerFolder, family: recognizerFamily as 'whisper' };
			const model = await harness.make(sherpaOnnx.transcription, options);
			const { text } = await model.transcribe(transcriptionRequest(resampled), transcriptionRun().run);
			expect(text.toLowerCase()).toContain('light');
		}, 300_000);
	}
}

async function spoken(model: SpeechModel, voice: string, speed = 1) {
	const input = 'The lighthouse stands above the sea. At night its light turns slowly.';
	const run = { signal: new AbortController().signal, log: silentLogger() };
	const made = await model.speak({ input, voice, speed, format: 'pcm' }, run);
	if (!('sampleRate' in made)) throw new Error('The model has encoded its audio.');
	const pieces: Uint8Array[] = [];
	for await (const piece of made.body) pieces.push(piece);
	const bytes = Buffer.concat(pieces);
	return { rate: made.sampleRate, pieces: pieces.length, samples: bytes.byteLength / 2, bytes };
}
