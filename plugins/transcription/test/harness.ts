import type { ModelBindingOptions } from '@plinth/core';
import {
	type FormFields,
	fakeBackend,
	fakeModels,
	type RecordedCall,
	type RequestOptions,
	scriptedModel,
	type TestApp,
	type TestAppOptions,
	testApp,
} from '@plinth/testing';
import { onTestFinished } from 'vitest';
import { transcription } from '../src/index.ts';
import {
	type AudioDecoder,
	audioDecoder,
	type Transcription,
	type TranscriptionAbilities,
	type TranscriptionModel,
	transcriptionModels,
} from '../src/model.ts';

type Transcribe = TranscriptionModel['transcribe'];

/** Options of a test. */
export interface HarnessOptions {
	readonly options?: Parameters<typeof transcription>[0];
	readonly decoder?: AudioDecoder;
	readonly abilities?: TranscriptionAbilities;
	/** The behaviour of the model; by default it returns {@link defaultResult}. */
	readonly transcribe?: Transcribe;
	readonly binding?: Omit<ModelBindingOptions, 'use'>;
	readonly others?: Readonly<Record<string, TranscriptionModel>>;
	readonly backends?: TestAppOptions['backends'];
}

/** The running app and the calls of its model. */
export interface Harness extends TestApp {
	readonly calls: readonly RecordedCall<Transcribe>[];
	/** Posts a form with a valid file and model; `fields` override those. */
	hear(fields?: FormFields, options?: RequestOptions): Promise<Response>;
	translate(fields?: FormFields): Promise<Response>;
}

/** The default transcription of the model. */
export const defaultResult = {
	text: 'Hello there. Good-bye.',
	language: 'en',
	segments: [
		{ start: 0, end: 1.25, text: ' Hello there.', averageLogprob: -0.5, noSpeechProbability: 0.25 },
		{ start: 1.25, end: 3661.5, text: ' Good-bye.' },
	],
	words: [
		{ start: 0, end: 0.5, word: 'Hello' },
		{ start: 0.5, end: 1, word: 'there' },
	],
} as const satisfies Transcription;

/** All abilities that a model can have. */
export const all: TranscriptionAbilities = { translate: true, segments: true, words: true };

/** Starts an app with the plugin and one model, `fake-1`, and stops it after the test. */
export async function harness(setup: HarnessOptions = {}): Promise<Harness> {
	const { options = {}, decoder, abilities = all, transcribe = async () => defaultResult, binding = {} } = setup;
	const model = scriptedModel(transcriptionModels, { apiVersion: 1, abilities, transcribe });
	const running = await testApp({
		key: 'alice.transcriptions',
		realTime: true,
		backends: { ...setup.backends, ...(decoder ? { decoder: fakeBackend(audioDecoder, decoder) } : {}) },
		models: { 'fake-1': { ...binding, use: model.use }, ...fakeModels(transcriptionModels, setup.others ?? {}) },
		plugins: { transcription: transcription(options) },
		onTestFinished,
	});
	const post = (path: string, { file = wav(), model = 'fake-1', ...fields }: FormFields, init?: RequestOptions) =>
		running.form(path, { ...(fields.file_id ? {} : { file }), model, ...fields }, init);
	return {
		...running,
		calls: model.callsOf('transcribe'),
		hear: (fields = {}, init) => post('/v1/audio/transcriptions', fields, init),
		translate: (fields = {}) => post('/v1/audio/translations', fields),
	};
}

/** The parts of a WAV file. */
export interface WavParts {
	readonly code?: number;
	readonly bits?: number;
	readonly channels?: number;
	readonly sampleRate?: number;
	/** Bytes of samples. */
	readonly data?: Uint8Array;
	/** The length in the header. */
	readonly stated?: number;
	/** Chunks before the samples. */
	readonly before?: Uint8Array;
}

/** A WAV file; by default two seconds of silence at 16 kHz. */
export function wav(parts: WavParts = {}): Buffer {
	const { code = 1, bits = 16, channels = 1, sampleRate = 16_000, data = new Uint8Array(64_000) } = parts;
	const { stated = data.byteLength, before = new Uint8Array() } = parts;
	const head = Buffer.alloc(36);
	head.write('RIFF....WAVEfmt ', 'latin1');
	head.writeUInt32LE(36 + data.byteLength, 4);
	head.writeUInt32LE(16, 16);
	head.writeUInt16LE(code, 20);
	head.writeUInt16LE(channels, 22);
	head.writeUInt32LE(sampleRate, 24);
	head.writeUInt32LE((sampleRate * channels * bits) / 8, 28);
	head.writeUInt16LE((channels * bits) / 8, 32);
	head.writeUInt16LE(bits, 34);
	const length = Buffer.alloc(8);
	length.write('data', 'latin1');
	length.writeUInt32LE(stated, 4);
	return Buffer.concat([head, before, length, data]);
}

/** Reads all samples of a file at a rate. */
export async function samplesOf(audio: { samples(rate: number): AsyncIterable<Float32Array> }, rate: number) {
	const all: number[] = [];
	for await (const chunk of audio.samples(rate)) for (const value of chunk) all.push(value);
	return all;
}

/** A model that reads all samples and returns their number. */
export function counting(rate = 16_000): Transcribe {
	return async ({ audio }) => ({ text: String((await samplesOf(audio, rate)).length) });
}
