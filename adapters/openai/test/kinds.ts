import type { AudioFile } from '@plinth/plugin-transcription/model';
import { silentLogger } from '@plinth/testing';
import { expect } from 'vitest';
import { openai } from '../src/index.ts';
import { answer } from './chat-calls.ts';
import type { Cell } from './features.ts';
import { modelOf } from './harness.ts';
import { codec, imageRequest, make } from './pictures.ts';
import { workingServer } from './scripted-models.ts';
import { bytes, type Handler, json, scripted } from './upstream.ts';
import { attempt, createVideoModel, mp4, record } from './videos.ts';

const images = await codec();
/** A speech request. */
export const speech = { input: 'Hi.', voice: 'ann', speed: 1, format: 'wav' } as const;
/** The context of a call. */
export const run = () => ({ signal: new AbortController().signal, log: silentLogger() });
/** WAV with an unknown length in its header. */
export const wav = Buffer.from(
	`RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0\x88\x58\x01\0\x02\0\x10\0data\xff\xff\xff\xff${'\x07'.repeat(8)}`,
	'latin1',
);
/** A response with that WAV. */
export const speechReply = bytes(wav, 'audio/wav');
/** A response with a finished video. */
export const finishedVideo = json({ data: [{ b64_json: mp4.toString('base64') }] });

/** An uploaded audio file; the server ignores its bytes. */
const audioFile: AudioFile = {
	...{ container: 'wav', mediaType: 'audio/wav', name: 'audio.wav', size: 1, path: import.meta.filename },
	open: () => [][Symbol.iterator]() as never,
	samples: () => [][Symbol.iterator]() as never,
};

/** The kinds of models that the adapter creates. */
export type Kind = keyof typeof openai;
/** Sends a request to a server with this handler. */
type Work = (handler: Handler, options?: object) => Promise<unknown>;

/** The simplest request for each kind. */
export const callModel: Readonly<Record<Kind, (dialect: string) => Work>> = {
	chat: (dialect) => async (handler, options) => {
		const { baseURL } = await scripted(handler);
		return answer(await modelOf(openai.chat({ baseURL, dialect, ...options } as never)));
	},
	image: (dialect) => async (handler, options) => {
		const { baseURL } = await scripted(handler);
		const model = openai.image({ baseURL, dialect, ...options } as never);
		return make(await modelOf(model, { images }), imageRequest());
	},
	speech: (dialect) => async (handler, options) => {
		const { baseURL } = await scripted(handler);
		const model = await modelOf(openai.speech({ baseURL, dialect, ...options } as never));
		return model.speak(speech, run());
	},
	transcription: (dialect) => async (handler, options) => {
		const { baseURL } = await scripted(handler);
		const model = await modelOf(openai.transcription({ baseURL, dialect, ...options } as never));
		return model.transcribe({ audio: audioFile, task: 'transcribe', timestamps: [] }, { ...run(), delta: () => {} });
	},
	video: (dialect) => async (handler, options) => {
		const { model } = await createVideoModel({ create: handler }, { dialect, ...options });
		return attempt(model).bytes();
	},
};

/** The parameter that the server names in its error. */
export const rejectedParam: Readonly<Record<Kind, string>> = {
	chat: 'messages',
	image: 'prompt',
	speech: 'voice',
	transcription: 'language',
	video: 'prompt',
};

/** Handlers that succeed. For a video, they start one. */
export const workingHandler: Readonly<Record<Kind, (dialect: string) => Handler>> = {
	chat: () => workingServer,
	image: () => workingServer,
	speech: () => speechReply,
	transcription: () => json({ text: 'Hi.' }),
	video: (dialect) => (dialect === 'localai' ? finishedVideo : record('queued')),
};

/** Whether a dialect supports a kind of model. */
export function isSupported(kind: Kind, dialect: string): boolean {
	const baseURL = 'http://127.0.0.1:1/v1';
	return openai[kind].definition.config.safeParse({ baseURL, dialect }).success;
}

const kinds = Object.keys(openai) as Kind[];

/** `yes` if a condition holds for all kinds that a dialect supports. */
export async function yesIfAllKinds(dialect: string, isSo: (kind: Kind) => Promise<boolean>): Promise<Cell> {
	const served = kinds.filter((kind) => isSupported(kind, dialect));
	expect(served).not.toEqual([]);
	const found = await Promise.all(served.map(isSo));
	return found.every(Boolean) ? 'yes' : 'no';
}
