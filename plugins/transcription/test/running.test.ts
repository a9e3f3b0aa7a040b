import { invalidValue, modelError } from '@plinth/core';
import { chat } from '@plinth/plugin-chat';
import { type ChatRequest, chatModels } from '@plinth/plugin-chat/model';
import { errorOf, eventually, fakeModels, jsonOf, testApp } from '@plinth/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { transcription } from '../src/index.ts';
import { type TranscriptionModel, transcriptionModels } from '../src/model.ts';
import { transcriptEvents } from '../src/response/stream.ts';
import { type HarnessOptions, harness, wav } from './harness.ts';

type Transcribe = TranscriptionModel['transcribe'];

/** The data of the events of a response. */
async function eventsOf(response: Response): Promise<Record<string, unknown>[]> {
	const blocks = (await response.text()).split('\n\n').filter((block) => block.includes('data: '));
	return blocks.map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)));
}

const stream = { stream: 'true' };

describe('a stream', () => {
	it('has the text as the model emits it, then the whole text with its usage', async () => {
		const transcribe: Transcribe = async (_, { delta }) => {
			delta('Hello ');
			delta('');
			delta('there.');
			return { text: 'Hello there.', usage: { inputTokens: 4, outputTokens: 2 } };
		};
		const h = await harness({ transcribe });
		const response = await h.hear(stream);
		expect(response.headers.get('content-type')).toContain('text/event-stream');
		const usage = { type: 'tokens', input_tokens: 4, output_tokens: 2, total_tokens: 6 };
		expect(await eventsOf(response)).toEqual([
			{ type: 'transcript.text.delta', delta: 'Hello ' },
			{ type: 'transcript.text.delta', delta: 'there.' },
			{ type: 'transcript.text.done', text: 'Hello there.', usage },
		]);
	});

	it('has the remaining text, and the warnings of the model and the server', async () => {
		const transcribe: Transcribe = async (_, { delta }) => {
			delta('Hello');
			return { text: 'Hello there.', warnings: ['prompt: ignored.'] };
		};
		const h = await harness({ transcribe });
		const events = await eventsOf(
			await h.hear({ ...stream, response_format: 'text', unknown: 'x', 'include[]': 'logprobs' }),
		);
		expect(events.map(({ delta }) => delta)).toEqual(['Hello', ' there.', undefined]);
		const { warnings } = events[2] as { warnings: string[] };
		expect(warnings.map((warning) => warning.split(':')[0])).toEqual(['unknown', 'include', 'prompt']);
	});

	it('of silence ends without a delta', async () => {
		const h = await harness({ transcribe: async () => ({ text: '' }) });
		expect(await eventsOf(await h.hear(stream))).toMatchObject([{ type: 'transcript.text.done', text: '' }]);
	});

	it('that fails before its first delta has an error status, and uses the fallback', async () => {
		const transcribe = async () => Promise.reject(modelError('The GPU is gone.'));
		const alone = await harness({ transcribe });
		expect(await errorOf(await alone.hear(stream))).toMatchObject({ status: 502, code: 'model_error' });
		const second: TranscriptionModel = { apiVersion: 1, transcribe: async () => ({ text: 'second' }) };
		const h = await harness({ transcribe, binding: { fallback: ['second'] }, others: { second } });
		expect((await eventsOf(await h.hear(stream))).at(-1)).toMatchObject({ text: 'second' });
		expect(await jsonOf(await h.hear())).toMatchObject({ text: 'second' });
	});

	it('that fails later ends with an error event', async () => {
		const started = Promise.withResolvers<void>();
		const transcribe: Transcribe = async (_, { delta }) => {
			delta('Hello');
			await started.promise;
			throw modelError('The GPU is gone.');
		};
		const h = await harness({ transcribe });
		const response = await h.hear(stream);
		started.resolve();
		expect(await response.text()).toMatch(/event: error\ndata: .*model_error/);
	});

	it('may be left by its reader at the moment in which the model ends', async () => {
		const end = Promise.withResolvers<void>();
		const events = await transcriptEvents(new AbortController().signal, async (_signal, onDelta) => {
			onDelta('Hello');
			await end.promise;
			return { text: 'Hello there.' };
		});
		const iterator = events[Symbol.asyncIterator]();
		await iterator.next();
		await iterator.return?.();
		end.resolve();
		expect(await iterator.next()).toMatchObject({ done: true });
	});

	it('stops the model when its reader stops', async () => {
		const stopped = Promise.withResolvers<void>();
		const transcribe: Transcribe = async (_, { delta, signal }) => {
			signal.addEventListener('abort', () => stopped.resolve());
			delta('Hello');
			await stopped.promise;
			throw signal.reason;
		};
		const h = await harness({ transcribe, binding: { concurrency: 1 } });
		const reader = (await h.hear(stream)).body?.getReader();
		await reader?.read();
		await reader?.cancel();
		await stopped.promise;
	});

	it('holds the slot of its model until its end', async () => {
		const gate = Promise.withResolvers<void>();
		let running = 0;
		let most = 0;
		const transcribe: Transcribe = async (_, { delta }) => {
			most = Math.max(most, ++running);
			delta('x');
			await gate.promise;
			running--;
			return { text: 'x' };
		};
		const h = await harness({ transcribe, binding: { concurrency: 1 } });
		const first = await h.hear(stream);
		const second = h.hear(stream);
		gate.resolve();
		expect((await eventsOf(first)).length + (await eventsOf(await second)).length).toBe(4);
		expect(most).toBe(1);
	});
});

describe('a model', () => {
	it.each<[string, Transcribe]>([
		[
			'without a promise',
			() => {
				throw new Error('secret');
			},
		],
		['without a text', async () => ({}) as never],
		['with nothing', async () => undefined as never],
	])('that ends %s is an error', async (_, transcribe) => {
		const h = await harness({ transcribe });
		const failure = await errorOf(await h.hear());
		expect(failure).toMatchObject({ status: 502, code: 'model_error' });
		expect(failure.message).not.toContain('secret');
	});

	it('may reject a request', async () => {
		const h = await harness({ transcribe: async () => Promise.reject(invalidValue('prompt', 'Too long.')) });
		expect(await errorOf(await h.hear())).toMatchObject({ status: 400, param: 'prompt' });
	});

	it('stops when its client disconnects, also while it reads samples', async () => {
		const controller = new AbortController();
		let seen: unknown;
		const transcribe: Transcribe = async ({ audio }, { signal }) => {
			controller.abort();
			await new Promise((resolve) => signal.addEventListener('abort', resolve));
			for await (const _ of audio.samples(16_000)) throw new Error('There are samples.');
			return { text: 'x' };
		};
		const watched: Transcribe = (request, run) => {
			const made = Promise.resolve(transcribe(request, run));
			made.catch((error: unknown) => {
				seen = error === run.signal.reason;
			});
			return made;
		};
		const h = await harness({ transcribe: watched });
		await expect(h.hear({}, { signal: controller.signal })).rejects.toThrow();
		await eventually('the model stops with the reason of its signal', async () => seen === true);
	});

	it('is stopped after its timeout, also when it ignores its signal', async () => {
		const h = await harness({ transcribe: () => new Promise(() => {}), binding: { timeoutSeconds: 0.05 } });
		expect(await errorOf(await h.hear())).toMatchObject({ status: 504, code: 'model_timeout' });
	});
});

describe('without a transcription model', () => {
	it.each(['transcriptions', 'translations'])(
		'the server boots, and /v1/audio/%s explains how to add one',
		async (name) => {
			const { form } = await testApp({ plugins: { transcription: transcription() }, onTestFinished });
			const failure = await errorOf(await form(`/v1/audio/${name}`, { model: 'whisper-1', file: wav() }));
			expect(failure).toMatchObject({ status: 404, code: 'unsupported_operation' });
			expect(failure.message).toContain('openai.transcription');
		},
	);
});

describe('the documentation of the routes', () => {
	it('has both routes, with their forms and responses', async () => {
		const { app } = await harness();
		const { paths } = app.openapi() as { paths: Record<string, { post: Operation }> };
		const transcriptions = paths['/v1/audio/transcriptions']?.post;
		expect(Object.keys(transcriptions?.requestBody.content ?? {})).toEqual(['multipart/form-data']);
		expect(Object.keys(transcriptions?.responses['200']?.content ?? {}).sort()).toEqual([
			'application/json',
			'text/event-stream',
			'text/plain',
			'text/vtt',
		]);
		expect(paths['/v1/audio/translations']?.post.description).toContain('February 2027');
	});
});

/** The members of an operation that tests read. */
interface Operation {
	readonly description: string;
	readonly requestBody: { readonly content: object };
	readonly responses: Readonly<Record<string, { readonly content: object }>>;
}

describe('audio in other capabilities', () => {
	const hears = (text: string): TranscriptionModel => ({ apiVersion: 1, transcribe: async () => ({ text }) });
	const sentence = { type: 'input_audio', input_audio: { data: wav().toString('base64'), format: 'wav' } };

	/** The messages that a chat model without audio input receives. */
	async function readBy(options: HarnessOptions['options'] = {}) {
		const reads: string[] = [];
		const stream = async function* ({ messages }: ChatRequest) {
			reads.push(JSON.stringify(messages));
			yield { type: 'text', text: 'Yes.' } as const;
		};
		const { post } = await testApp({
			realTime: true,
			models: {
				...fakeModels(transcriptionModels, { first: hears('first heard'), second: hears('second heard') }),
				...fakeModels(chatModels, { deaf: { apiVersion: 1, stream } }),
			},
			plugins: { transcription: transcription(options), chat: chat() },
			onTestFinished,
		});
		const response = await post('/v1/chat/completions', {
			model: 'deaf',
			messages: [{ role: 'user', content: [sentence] }],
		});
		expect(response.status).toBe(200);
		expect(response.headers.get('x-plinth-model')).toBe('deaf');
		return reads.join();
	}

	it('is transcribed by the first model, or by the one in the config', async () => {
		expect(await readBy()).toContain('first heard');
		expect(await readBy({ readerModel: 'second' })).toContain('second heard');
	});

	it('requires that this model exists', async () => {
		const models = fakeModels(transcriptionModels, { first: hears('x') });
		const boot = testApp({ models, plugins: { transcription: transcription({ readerModel: 'third' }) } });
		await expect(boot).rejects.toThrow('third');
	});
});
