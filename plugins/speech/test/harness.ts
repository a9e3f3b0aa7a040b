import {
	type App,
	type Authenticator,
	createApp,
	defineBackend,
	defineModel,
	type ModelBindingOptions,
	services,
} from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { speech } from '../src/index.ts';
import {
	type AudioEncoder,
	audioEncoder,
	type PcmAudio,
	type SpeechModel,
	type SpeechRequest,
	type SpeechRun,
	speechModels,
} from '../src/model.ts';

/** What a test decides. */
export interface HarnessOptions {
	/** Options of the plugin. */
	readonly options?: Parameters<typeof speech>[0];
	/** Composes an encoder. */
	readonly encoder?: AudioEncoder;
	/** The voices of the model; absent: any. */
	readonly voices?: readonly string[];
	/** What the model does; by default it says one second of silence at 24 kHz. */
	readonly speak?: SpeechModel['speak'];
	/** Whether an upstream of the model can be given a request as it came. */
	readonly forward?: SpeechModel['forward'];
	/** Bounds of the model, and who stands in for it. */
	readonly binding?: Omit<ModelBindingOptions, 'use'>;
	/** Further models. */
	readonly others?: Readonly<Record<string, SpeechModel>>;
}

/** What the tests use and read. */
export interface Harness {
	readonly app: App;
	/** Every call of the model so far. */
	readonly calls: { readonly request: SpeechRequest; readonly run: SpeechRun }[];
	/** Asks for speech; fields replace those of a good request for WAV. */
	speak(fields?: Record<string, unknown>, init?: RequestInit): Promise<Response>;
}

/** Boots the plugin with one fake model, `fake-1`, and stops it after the test. */
export async function harness({
	options = {},
	encoder,
	voices,
	speak = async () => silence(),
	forward,
	binding = {},
	others = {},
}: HarnessOptions = {}): Promise<Harness> {
	const calls: Harness['calls'] = [];
	const model: SpeechModel = {
		apiVersion: 1,
		speak(request, run) {
			calls.push({ request, run });
			return speak(request, run);
		},
		...(voices ? { voices: () => voices } : {}),
		...(forward ? { forward } : {}),
	};
	const encoders = defineBackend({
		name: 'fakeEncoder',
		provides: audioEncoder,
		config: z.strictObject({}),
		create: () => encoder as AudioEncoder,
	});
	const app = await createApp(
		{
			server: { drainDelayMs: 0, graceMs: 50 },
			backends: { auth: fakeAuth(), ...(encoder ? { encoder: encoders() } : {}) },
			models: {
				'fake-1': { ...binding, use: modelOf(model) },
				...Object.fromEntries(Object.entries(others).map(([id, other]) => [id, modelOf(other)])),
			},
			plugins: { speech: speech(options) },
		},
		{ log: silentLogger(), env: {} },
	);
	onTestFinished(() => app.stop());
	return {
		app,
		calls,
		speak(fields, init) {
			const body = JSON.stringify({
				model: 'fake-1',
				voice: 'alloy',
				input: 'Hello there.',
				response_format: 'wav',
				...fields,
			});
			// Only bodies of known length pass through.
			const length = { 'content-length': `${Buffer.byteLength(body)}` };
			return app.fetch(
				new Request('http://localhost/v1/audio/speech', {
					method: 'POST',
					headers: { 'x-api-key': 'speech', 'content-type': 'application/json', ...length },
					body,
					...init,
				}),
			);
		},
	};
}

function modelOf(model: SpeechModel) {
	return defineModel({
		kind: speechModels,
		name: 'fake.speech',
		config: z.strictObject({}),
		create: () => model,
	})();
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

/** One second of it, in two chunks. */
export function silence(part: Partial<PcmAudio> = {}): PcmAudio {
	return pcm([Buffer.alloc(24_000), Buffer.alloc(24_000)], part);
}

/** A stream of chunks. */
export async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* chunks;
}

/** An encoder that makes `formats` by putting their name before the bytes. */
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

/** Status, code and param of an error answer. */
export async function errorOf(
	response: Response,
): Promise<{ status: number; code: unknown; param: unknown; message: string }> {
	const { error } = (await response.json()) as { error: Record<string, unknown> };
	const { code, param, message } = error;
	return { status: response.status, code, param, message: String(message) };
}

const fakeAuth = defineBackend({
	name: 'fakeAuth',
	provides: services.authenticator,
	config: z.strictObject({}),
	create: (): Authenticator => ({
		async authenticate(key) {
			return key === 'nobody' ? null : { id: key, tenant: 'alice', scopes: [key] };
		},
	}),
});
