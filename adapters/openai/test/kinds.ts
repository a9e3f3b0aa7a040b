import type { AudioFile } from '@plinth/plugin-transcription/model';
import { silentLogger } from '@plinth/testing';
import { expect } from 'vitest';
import { openai } from '../src/index.ts';
import { answer } from './chat-calls.ts';
import type { Cell } from './features.ts';
import { modelOf } from './harness.ts';
import { obliging } from './opened.ts';
import { codec, make, wish } from './pictures.ts';
import { bytes, type Handler, json, scripted } from './upstream.ts';
import { attempt, mp4, record, studio } from './videos.ts';

const images = await codec();
/** A wish for speech. */
export const speech = { input: 'Hi.', voice: 'ann', speed: 1, format: 'wav' } as const;
/** What surrounds a call. */
export const run = () => ({ signal: new AbortController().signal, log: silentLogger() });
/** WAV whose writer did not know how long it would be. */
export const wav = Buffer.from(
	`RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0\x88\x58\x01\0\x02\0\x10\0data\xff\xff\xff\xff${'\x07'.repeat(8)}`,
	'latin1',
);
/** Answers with it. */
export const spoken = bytes(wav, 'audio/wav');
/** Answers with a video that is there at once. */
export const atOnce = json({ data: [{ b64_json: mp4.toString('base64') }] });

/** A file to hear: this one, whose bytes no server looks at. */
const heard: AudioFile = {
	...{ container: 'wav', mediaType: 'audio/wav', name: 'audio.wav', size: 1, path: import.meta.filename },
	open: () => [][Symbol.iterator]() as never,
	samples: () => [][Symbol.iterator]() as never,
};

/** What the adapter makes models of. */
export type Kind = keyof typeof openai;
/** Asks a server for something. */
type Work = (handler: Handler, options?: object) => Promise<unknown>;

/** How each kind is asked in the simplest way. */
export const asking: Readonly<Record<Kind, (dialect: string) => Work>> = {
	chat: (dialect) => async (handler, options) => {
		const { baseURL } = await scripted(handler);
		return answer(await modelOf(openai.chat({ baseURL, dialect, ...options } as never)));
	},
	image: (dialect) => async (handler, options) => {
		const { baseURL } = await scripted(handler);
		const model = openai.image({ baseURL, dialect, ...options } as never);
		return make(await modelOf(model, { images }), wish());
	},
	speech: (dialect) => async (handler, options) => {
		const { baseURL } = await scripted(handler);
		const model = await modelOf(openai.speech({ baseURL, dialect, ...options } as never));
		return model.speak(speech, run());
	},
	transcription: (dialect) => async (handler, options) => {
		const { baseURL } = await scripted(handler);
		const model = await modelOf(openai.transcription({ baseURL, dialect, ...options } as never));
		return model.transcribe({ audio: heard, task: 'transcribe', timestamps: [] }, { ...run(), delta: () => {} });
	},
	video: (dialect) => async (handler, options) => {
		const { model } = await studio({ create: handler }, { dialect, ...options });
		return attempt(model).bytes();
	},
};

/** The parameter that a server complains of. */
export const complained: Readonly<Record<Kind, string>> = {
	chat: 'messages',
	image: 'prompt',
	speech: 'voice',
	transcription: 'language',
	video: 'prompt',
};

/** Servers that do well; of videos, they begin one. */
export const wellDone: Readonly<Record<Kind, (dialect: string) => Handler>> = {
	chat: () => obliging,
	image: () => obliging,
	speech: () => spoken,
	transcription: () => json({ text: 'Hi.' }),
	video: (dialect) => (dialect === 'localai' ? atOnce : record('queued')),
};

/** Whether a dialect does a kind of thing at all. */
export function isServed(kind: Kind, dialect: string): boolean {
	const baseURL = 'http://127.0.0.1:1/v1';
	return openai[kind].definition.config.safeParse({ baseURL, dialect }).success;
}

const kinds = Object.keys(openai) as Kind[];

/** What is true of all kinds that a server has. */
export async function ofEachKind(dialect: string, isSo: (kind: Kind) => Promise<boolean>): Promise<Cell> {
	const served = kinds.filter((kind) => isServed(kind, dialect));
	expect(served).not.toEqual([]);
	const found = await Promise.all(served.map(isSo));
	return found.every(Boolean) ? 'yes' : 'no';
}
