import { readFile } from 'node:fs/promises';
import type { AppConfig, ModelBindingOptions } from '@plinth/core';
import { CachedReader } from '@plinth/documents';
import {
	fakeBackend,
	fakeModels,
	jsonOf,
	type ManualClock,
	type RecordedCall,
	type RequestOptions,
	scriptedModel,
	type TestApp,
	testApp,
} from '@plinth/testing';
import {
	type DocumentReader,
	type DocumentRun,
	type DocumentText,
	type EncodedDocument,
	type ImageCodec,
	mediaError,
	mediaServices,
} from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { chat } from '../src/index.ts';
import { type ChatAbilities, type ChatEvent, type ChatModel, chatModels } from '../src/model.ts';

/** Options of a test. */
export interface HarnessOptions {
	readonly options?: Parameters<typeof chat>[0];
	readonly abilities?: ChatAbilities;
	/** The behaviour of the model. By default it emits "Hello there." in two pieces. */
	readonly stream?: ChatModel['stream'];
	/** The document reader; `pagesOf` the text by default, `null` for none. */
	readonly read?: ((text: string, run: DocumentRun) => Promise<DocumentText>) | null;
	readonly images?: ImageCodec;
	/** Lets requests pass through to an upstream. */
	readonly forward?: ChatModel['forward'];
	/** Limits of the model, and its fallbacks. */
	readonly binding?: Omit<ModelBindingOptions, 'use'>;
	/** Further models. */
	readonly others?: Readonly<Record<string, ChatModel>>;
	/** A manual clock; the system clock by default. */
	readonly clock?: ManualClock;
	/** Further backends. */
	readonly backends?: AppConfig['backends'] & object;
}

/** The running app and records of what it did. */
export interface Harness extends TestApp {
	/** All calls of the model. */
	readonly calls: readonly RecordedCall<ChatModel['stream']>[];
	/** The texts of the documents that were read. */
	readonly texts: string[];
	/** Posts a chat completion request; `fields` override those of a valid request. */
	ask(fields?: Record<string, unknown>, options?: RequestOptions): Promise<Response>;
}

/** Starts an app with the plugin and one fake model, `fake-1`, and stops it after the test. */
export async function harness({
	options = {},
	abilities,
	stream = () => textEvents('Hello ', 'there.'),
	read = async (text) => pagesOf(text),
	images,
	forward,
	binding = {},
	others = {},
	clock,
	backends = {},
}: HarnessOptions = {}): Promise<Harness> {
	const texts: string[] = [];
	const model = scriptedModel(chatModels, {
		apiVersion: 1,
		...(abilities ? { abilities } : {}),
		stream,
		...(forward ? { forward } : {}),
	});
	const reader: DocumentReader = {
		version: 'fake',
		async read(document, _options, run = {}) {
			const text = await textOf(document);
			texts.push(text);
			if (text.startsWith('broken')) throw mediaError('E_DOCUMENT_UNREADABLE');
			return (read ?? (async () => pagesOf()))(text, run);
		},
	};
	const running = await testApp({
		key: 'alice.chat',
		...(clock ? { clock } : { realTime: true }),
		backends: {
			...(read ? { documents: fakeBackend(mediaServices.documents, new CachedReader(reader)) } : {}),
			...(images ? { images: fakeBackend(mediaServices.images, images) } : {}),
			...backends,
		},
		models: { 'fake-1': { ...binding, use: model.use }, ...fakeModels(chatModels, others) },
		plugins: { chat: chat(options) },
		onTestFinished,
	});
	const defaults = { model: 'fake-1', messages: [user('Hello?')] };
	return {
		...running,
		calls: model.callsOf('stream'),
		texts,
		ask: (fields, init) => running.post('/v1/chat/completions', { ...defaults, ...fields }, init),
	};
}

async function textOf(document: EncodedDocument): Promise<string> {
	const bytes = 'path' in document ? await readFile(document.path) : document;
	return Buffer.from(bytes).toString();
}

/** A document with these pages. */
export function pagesOf(...texts: readonly string[]): DocumentText {
	return {
		mediaType: 'application/pdf',
		pages: texts.map((text, index) => ({ page: index + 1, text })),
		pageCount: texts.length,
		truncated: false,
		metadata: {},
	};
}

/** Text events of a model. */
export async function* textEvents(...pieces: readonly string[]): AsyncGenerator<ChatEvent> {
	for (const text of pieces) yield { type: 'text', text };
}

/** A model stream of these events. */
export function events(...all: readonly unknown[]): () => AsyncGenerator<ChatEvent> {
	return async function* () {
		yield* all as ChatEvent[];
	};
}

/** A message of a user. */
export function user(...content: readonly (string | object)[]) {
	const [first] = content;
	return { role: 'user', content: typeof first === 'string' ? first : content };
}

/** A part with a file, as a data URL. */
export function file(text: string, members: object = {}) {
	const data = Buffer.from(text).toString('base64');
	return { type: 'file', file: { file_data: `data:application/pdf;base64,${data}`, ...members } };
}

/** A tool without parameters. */
export function tool(name: string) {
	return { type: 'function', function: { name } };
}

/** The members of an answer that tests read by name. */
export interface Answer {
	readonly choices: readonly {
		readonly index: number;
		readonly message: Record<string, unknown> & { readonly content: string | null };
		readonly finish_reason: string;
	}[];
	readonly usage: Record<string, unknown>;
	readonly warnings?: readonly string[];
}

/** The body of an answer that is not streamed. */
export function answerOf(response: Response): Promise<Answer> {
	return jsonOf<Answer>(response);
}

/** A chunk of a streamed answer. */
export interface Chunk {
	readonly id: string;
	readonly model?: string;
	readonly choices: readonly {
		readonly index: number;
		readonly delta: Record<string, unknown>;
		readonly finish_reason: string | null;
	}[];
	readonly usage?: unknown;
	readonly warnings?: readonly string[];
	readonly error?: { readonly code: string; readonly message: string };
}

/** The chunks of a streamed answer, and whether it ended with `[DONE]`. */
export async function chunksOf(
	response: Response,
): Promise<{ readonly chunks: readonly Chunk[]; readonly isDone: boolean }> {
	const frames = (await response.text()).split('\n\n').filter((frame) => frame !== '');
	const data = frames.map((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? '');
	const isDone = data.at(-1) === '[DONE]';
	const chunks = (isDone ? data.slice(0, -1) : data).map((text) => JSON.parse(text) as Chunk);
	return { chunks, isDone };
}
