import type { ModelBindingOptions } from '@plinth/core';
import {
	fakeBackend,
	fakeModels,
	type ManualClock,
	type RecordedCall,
	type RequestOptions,
	scriptedModel,
	type TestApp,
	testApp,
} from '@plinth/testing';
import { onTestFinished } from 'vitest';
import { speech } from '../src/index.ts';
import { type AudioEncoder, audioEncoder, type PcmAudio, type SpeechModel, speechModels } from '../src/model.ts';

/** Options of a test. */
export interface HarnessOptions {
	/** Options of the plugin. */
	readonly options?: Parameters<typeof speech>[0];
	/** Adds an encoder. */
	readonly encoder?: AudioEncoder;
	/** The voices of the model; any voice by default. */
	readonly voices?: readonly string[];
	/** The behaviour of the model; by default it returns one second of silence at 24 kHz. */
	readonly speak?: SpeechModel['speak'];
	/** Lets requests pass through to an upstream. */
	readonly forward?: SpeechModel['forward'];
	/** A manual clock; the system clock by default. */
	readonly clock?: ManualClock;
	/** Limits of the model, and its fallbacks. */
	readonly binding?: Omit<ModelBindingOptions, 'use'>;
	/** Further models. */
	readonly others?: Readonly<Record<string, SpeechModel>>;
}

/** The running app and the calls of its model. */
export interface Harness extends TestApp {
	/** All calls of the model. */
	readonly calls: readonly RecordedCall<SpeechModel['speak']>[];
	/** Posts a speech request; `fields` override those of a valid request for WAV. */
	speak(fields?: Record<string, unknown>, options?: RequestOptions): Promise<Response>;
}

/** Starts an app with the plugin and one fake model, `fake-1`, and stops it after the test. */
export async function harness({
	options = {},
	encoder,
	voices,
	speak = async () => silence(),
	forward,
	clock,
	binding = {},
	others = {},
}: HarnessOptions = {}): Promise<Harness> {
	const model = scriptedModel(speechModels, {
		apiVersion: 1,
		speak,
		...(voices ? { voices: () => voices } : {}),
		...(forward ? { forward } : {}),
	});
	const running = await testApp({
		key: 'alice.speech',
		...(clock ? { clock } : { realTime: true }),
		backends: encoder ? { encoder: fakeBackend(audioEncoder, encoder) } : {},
		models: { 'fake-1': { ...binding, use: model.use }, ...fakeModels(speechModels, others) },
		plugins: { speech: speech(options) },
		onTestFinished,
	});
	const good = { model: 'fake-1', voice: 'alloy', input: 'Hello there.', response_format: 'wav' };
	return {
		...running,
		calls: model.callsOf('speak'),
		speak: (fields, init) => running.post('/v1/audio/speech', { ...good, ...fields }, init),
	};
}

/** Signed 16-bit little-endian samples. */
export function samples(...values: number[]): Buffer {
	const bytes = Buffer.alloc(values.length * 2);
	for (const [index, value] of values.entries()) bytes.writeInt16LE(value, index * 2);
	return bytes;
}

/** PCM from chunks. */
export function pcm(chunks: readonly Uint8Array[], part: Partial<PcmAudio> = {}): PcmAudio {
	return {
		mediaType: 'audio/pcm',
		sampleRate: 24_000,
		channels: 1,
		body: streamOf(chunks),
		...part,
	};
}

/** One second of silence, in two chunks. */
export function silence(part: Partial<PcmAudio> = {}): PcmAudio {
	return pcm([Buffer.alloc(24_000), Buffer.alloc(24_000)], part);
}

/** A stream of chunks. */
export async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* chunks;
}

/** An encoder for `formats` that writes the name of the format before the bytes. */
export function fakeEncoder(...formats: AudioEncoder['formats'][number][]): AudioEncoder {
	return {
		formats,
		encode: async (audio, format) => ({
			mediaType: `audio/x-fake-${format}`,
			format,
			body: (async function* () {
				yield Buffer.from(`${format}:`);
				yield* audio.body;
			})(),
		}),
	};
}
