import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AudioFile, TranscriptionRequest } from '@plinth/plugin-transcription/model';
import { transcriptionModelSuite } from '@plinth/plugin-transcription/testing';
import { createModel, silentLogger } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openai } from '../src/index.ts';
import { failureOf, modelOf } from './harness.ts';
import { systemClock } from './system-clock.ts';
import { bytes, failure, type Handler, json, scripted, sse, startScripted } from './upstream.ts';

let folder: string;
let audio: AudioFile;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'plinth-test-openai-'));
	const path = join(folder, 'audio');
	await writeFile(path, 'ID3 and more');
	const unread = () => {
		throw new Error('The file is sent unchanged.');
	};
	audio = {
		container: 'mp3',
		mediaType: 'audio/mpeg',
		name: 'audio.mp3',
		size: 12,
		path,
		open: unread,
		samples: unread,
	};
});

afterAll(() => rm(folder, { recursive: true }));

/** Creates a model with a scripted upstream and makes one call. */
async function callModel(handler: Handler, options: object = {}, changes: Partial<TranscriptionRequest> = {}) {
	const upstream = await scripted(handler);
	const model = await modelOf(openai.transcription({ baseURL: upstream.baseURL, ...options }));
	const deltas: string[] = [];
	const run = {
		signal: new AbortController().signal,
		log: silentLogger(),
		delta: (text: string) => void deltas.push(text),
	};
	const made = model.transcribe({ audio, task: 'transcribe', timestamps: [], ...changes }, run);
	made.catch(() => {});
	return { model, upstream, deltas, made };
}

/** The form fields of the only request. */
async function sent({ upstream, made }: Awaited<ReturnType<typeof callModel>>) {
	await made;
	const fields = [...(upstream.requests[0]?.form ?? new FormData())].filter(([name]) => name !== 'file');
	return { path: upstream.requests[0]?.path, fields };
}

const reply = json({ text: 'Hello.' });

describe('the request to the server', () => {
	it('has the file, the model and the parameters of the client', async () => {
		const wish = { language: 'de', prompt: 'Plinth', temperature: 0 };
		const call = await callModel(reply, { model: 'gpt-4o-transcribe', body: { prompt: null, extra: 1 } }, wish);
		expect(await sent(call)).toEqual({
			path: '/v1/audio/transcriptions',
			fields: [
				['model', 'gpt-4o-transcribe'],
				['temperature', '0'],
				['response_format', 'json'],
				['language', 'de'],
				['stream', 'true'],
				['extra', '1'],
			],
		});
		const file = call.upstream.requests[0]?.form.get('file') as File;
		expect([file.name, file.type, await file.text()]).toEqual(['audio.mp3', 'audio/mpeg', 'ID3 and more']);
	});

	it('asks Whisper for timestamps, and for no stream', async () => {
		const timestamps = ['word', 'segment'] as const;
		const call = await callModel(reply, { model: 'whisper-1' }, { timestamps });
		expect((await sent(call)).fields).toEqual([
			['model', 'whisper-1'],
			['response_format', 'verbose_json'],
			['timestamp_granularities[]', 'word'],
			['timestamp_granularities[]', 'segment'],
		]);
		expect(call.model.abilities).toEqual({ translate: true, segments: true, words: true });
	});

	it('has no language for a translation', async () => {
		const call = await callModel(reply, { model: 'whisper-1' }, { task: 'translate', language: 'de' });
		expect(await sent(call)).toEqual({
			path: '/v1/audio/translations',
			fields: [
				['model', 'whisper-1'],
				['response_format', 'json'],
			],
		});
	});

	it('has the members of the config', async () => {
		const options = { model: 'x', languages: ['en'], timestamps: ['segment'], translate: 'true', stream: false };
		const call = await callModel(reply, options);
		expect((await sent(call)).fields.map(([name]) => name)).toEqual(['model', 'response_format']);
		expect(call.model.abilities).toEqual({ languages: ['en'], translate: true, segments: true, words: false });
		const vllm = await callModel(reply, { model: 'openai/whisper-large-v3', dialect: 'vllm-omni' });
		expect((await sent(vllm)).fields.map(([name]) => name)).toContain('stream');
	});
});

describe('a response', () => {
	it('has its timestamps, language and duration', async () => {
		const verbose = json({
			task: 'transcribe',
			text: 'Hallo.',
			language: 'german',
			duration: 2.5,
			segments: [{ id: 0, start: 0, end: 2, text: 'Hallo.', tokens: [1], avg_logprob: -0.5, no_speech_prob: 0.1 }],
			words: [{ word: 'Hallo', start: 0, end: 1 }],
			usage: { type: 'duration', seconds: 3 },
		});
		expect(await (await callModel(verbose)).made).toEqual({
			text: 'Hallo.',
			language: 'de',
			seconds: 2.5,
			segments: [{ start: 0, end: 2, text: 'Hallo.', averageLogprob: -0.5, noSpeechProbability: 0.1 }],
			words: [{ word: 'Hallo', start: 0, end: 1 }],
		});
	});

	it.each([
		['hebrew', 'he'],
		['en', 'en'],
		['Klingon of the north', undefined],
		[7, undefined],
	])('may name the language as %s', async (language, code) => {
		expect((await (await callModel(json({ text: 'x', language }))).made).language).toBe(code);
	});

	it('has the usage of the server, and omits invalid parts', async () => {
		const usage = { type: 'tokens', input_tokens: 14, output_tokens: 3, total_tokens: 17 };
		const odd = { text: 'x', usage, duration: 'long', segments: [{ start: 'a' }], words: 'none' };
		const made = await (await callModel(json(odd))).made;
		expect(made).toMatchObject({ text: 'x', usage: { inputTokens: 14, outputTokens: 3 } });
		expect([made.segments, made.words, made.seconds]).toEqual([undefined, undefined, undefined]);
	});

	it.each([
		['without a text', json({ segments: [] })],
		['that is no JSON', bytes('Hello.', 'text/plain')],
	])('%s is an error of the model', async (_, handler) => {
		const { made } = await callModel(handler);
		expect(await failureOf(made)).toMatchObject({ status: 502, code: 'model_error' });
	});

	it('may be a rejection that names the parameter', async () => {
		const { made } = await callModel(failure(400, { message: 'Audio file might be corrupted', param: 'file' }));
		expect(await failureOf(made)).toMatchObject({ status: 400, param: 'file' });
	});

	it('is not requested again when it may have been billed', async () => {
		const { made, upstream } = await callModel((_, res) => res.destroy());
		expect(await failureOf(made)).toMatchObject({ status: 503 });
		expect(upstream.requests).toHaveLength(1);
	});
});

describe('a stream', () => {
	const usage = { type: 'tokens', input_tokens: 14, output_tokens: 3, total_tokens: 17 };
	const counted = { inputTokens: 14, outputTokens: 3 };

	it('of OpenAI has the text in pieces', async () => {
		const call = await callModel(
			sse(
				{ type: 'transcript.text.delta', delta: 'Hello ' },
				{ type: 'transcript.text.delta', delta: 'there.' },
				{ type: 'transcript.text.done', text: 'Hello there.', usage },
			),
		);
		expect(await call.made).toEqual({ text: 'Hello there.', usage: counted });
		expect(call.deltas).toEqual(['Hello ', 'there.']);
	});

	it('of vLLM has the format of chat completions', async () => {
		const chunk = (content: string) => ({ object: 'transcription.chunk', choices: [{ delta: { content } }] });
		const call = await callModel(sse(chunk('Hello '), chunk('there.'), { choices: [] }, '[DONE]'));
		expect(await call.made).toEqual({ text: 'Hello there.' });
		expect(call.deltas).toEqual(['Hello ', 'there.']);
	});

	it.each([
		['that ends in the middle', sse({ type: 'transcript.text.delta', delta: 'Hello ' })],
		['with an event that is no JSON', sse('Hello')],
		['with an error', sse({ type: 'error', error: { message: 'out of memory' } })],
	])('%s is an error of the model', async (_, handler) => {
		expect(await failureOf((await callModel(handler)).made)).toMatchObject({ status: 502, code: 'model_error' });
	});
});

/** Returns all requested timestamps after a short delay. */
const upstreamHandler: Handler = async (request, res) => {
	await delay(10);
	if (res.destroyed) return;
	const times = request.form.getAll('timestamp_granularities[]');
	json({
		text: 'Hello.',
		language: 'english',
		duration: 2,
		...(times.includes('segment') ? { segments: [{ start: 0, end: 2, text: 'Hello.' }] } : {}),
		...(times.includes('word') ? { words: [{ start: 0, end: 2, word: 'Hello' }] } : {}),
	})(request, res);
};

describe('a model with an upstream conforms:', async () => {
	const upstream = await startScripted(upstreamHandler);
	afterAll(() => upstream.close());
	const { baseURL } = upstream;
	for (const { name, run } of transcriptionModelSuite({
		create: () => createModel(openai.transcription({ baseURL, model: 'whisper-1' }), { clock: systemClock }),
		supports: { deterministic: true },
	})) {
		it(name, run);
	}
});
