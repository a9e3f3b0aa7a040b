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
		throw new Error('The file is sent as it is.');
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

/** A model before a scripted server, and one call of it. */
async function hearing(handler: Handler, options: object = {}, changes: Partial<TranscriptionRequest> = {}) {
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

/** The fields of the only request. */
async function sent({ upstream, made }: Awaited<ReturnType<typeof hearing>>) {
	await made;
	const fields = [...(upstream.got[0]?.form ?? new FormData())].filter(([name]) => name !== 'file');
	return { path: upstream.got[0]?.path, fields };
}

const heard = json({ text: 'Hello.' });

describe('what the server is sent', () => {
	it('is the file, the model and what the client wants', async () => {
		const wish = { language: 'de', prompt: 'Plinth', temperature: 0 };
		const call = await hearing(heard, { model: 'gpt-4o-transcribe', body: { prompt: null, extra: 1 } }, wish);
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
		const file = call.upstream.got[0]?.form.get('file') as File;
		expect([file.name, file.type, await file.text()]).toEqual(['audio.mp3', 'audio/mpeg', 'ID3 and more']);
	});

	it('asks Whisper for times, and for no stream', async () => {
		const timestamps = ['word', 'segment'] as const;
		const call = await hearing(heard, { model: 'whisper-1' }, { timestamps });
		expect((await sent(call)).fields).toEqual([
			['model', 'whisper-1'],
			['response_format', 'verbose_json'],
			['timestamp_granularities[]', 'word'],
			['timestamp_granularities[]', 'segment'],
		]);
		expect(call.model.abilities).toEqual({ translate: true, segments: true, words: true });
	});

	it('is a translation, without a language', async () => {
		const call = await hearing(heard, { model: 'whisper-1' }, { task: 'translate', language: 'de' });
		expect(await sent(call)).toEqual({
			path: '/v1/audio/translations',
			fields: [
				['model', 'whisper-1'],
				['response_format', 'json'],
			],
		});
	});

	it('follows the config', async () => {
		const options = { model: 'x', languages: ['en'], timestamps: ['segment'], translate: 'true', stream: false };
		const call = await hearing(heard, options);
		expect((await sent(call)).fields.map(([name]) => name)).toEqual(['model', 'response_format']);
		expect(call.model.abilities).toEqual({ languages: ['en'], translate: true, segments: true, words: false });
		const vllm = await hearing(heard, { model: 'openai/whisper-large-v3', dialect: 'vllm-omni' });
		expect((await sent(vllm)).fields.map(([name]) => name)).toContain('stream');
	});
});

describe('an answer', () => {
	it('is read with its times, language and length', async () => {
		const verbose = json({
			task: 'transcribe',
			text: 'Hallo.',
			language: 'german',
			duration: 2.5,
			segments: [{ id: 0, start: 0, end: 2, text: 'Hallo.', tokens: [1], avg_logprob: -0.5, no_speech_prob: 0.1 }],
			words: [{ word: 'Hallo', start: 0, end: 1 }],
			usage: { type: 'duration', seconds: 3 },
		});
		expect(await (await hearing(verbose)).made).toEqual({
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
		expect((await (await hearing(json({ text: 'x', language }))).made).language).toBe(code);
	});

	it('has the tokens of the server, and does without what cannot be read', async () => {
		const usage = { type: 'tokens', input_tokens: 14, output_tokens: 3, total_tokens: 17 };
		const odd = { text: 'x', usage, duration: 'long', segments: [{ start: 'a' }], words: 'none' };
		const made = await (await hearing(json(odd))).made;
		expect(made).toMatchObject({ text: 'x', usage: { inputTokens: 14, outputTokens: 3 } });
		expect([made.segments, made.words, made.seconds]).toEqual([undefined, undefined, undefined]);
	});

	it.each([
		['without a text', json({ segments: [] })],
		['that is no JSON', bytes('Hello.', 'text/plain')],
	])('%s is a failure of the model', async (_, handler) => {
		const { made } = await hearing(handler);
		expect(await failureOf(made)).toMatchObject({ status: 502, code: 'model_error' });
	});

	it('may be a refusal that names the parameter', async () => {
		const { made } = await hearing(failure(400, { message: 'Audio file might be corrupted', param: 'file' }));
		expect(await failureOf(made)).toMatchObject({ status: 400, param: 'file' });
	});

	it('is not asked for again when it may have been made', async () => {
		const { made, upstream } = await hearing((_, res) => res.destroy());
		expect(await failureOf(made)).toMatchObject({ status: 503 });
		expect(upstream.got).toHaveLength(1);
	});
});

describe('a stream', () => {
	const usage = { type: 'tokens', input_tokens: 14, output_tokens: 3, total_tokens: 17 };
	const counted = { inputTokens: 14, outputTokens: 3 };

	it('of OpenAI tells the text in pieces', async () => {
		const call = await hearing(
			sse(
				{ type: 'transcript.text.delta', delta: 'Hello ' },
				{ type: 'transcript.text.delta', delta: 'there.' },
				{ type: 'transcript.text.done', text: 'Hello there.', usage },
			),
		);
		expect(await call.made).toEqual({ text: 'Hello there.', usage: counted });
		expect(call.deltas).toEqual(['Hello ', 'there.']);
	});

	it('of vLLM looks like a chat', async () => {
		const chunk = (content: string) => ({ object: 'transcription.chunk', choices: [{ delta: { content } }] });
		const call = await hearing(sse(chunk('Hello '), chunk('there.'), { choices: [] }, '[DONE]'));
		expect(await call.made).toEqual({ text: 'Hello there.' });
		expect(call.deltas).toEqual(['Hello ', 'there.']);
	});

	it.each([
		['that ends in the middle', sse({ type: 'transcript.text.delta', delta: 'Hello ' })],
		['with an event that is no JSON', sse('Hello')],
		['with an error', sse({ type: 'error', error: { message: 'out of memory' } })],
	])('%s is a failure of the model', async (_, handler) => {
		expect(await failureOf((await hearing(handler)).made)).toMatchObject({ status: 502, code: 'model_error' });
	});
});

/** Listens for a moment, and tells all that it is asked for. */
const listener: Handler = async (got, res) => {
	await delay(10);
	if (res.destroyed) return;
	const times = got.form.getAll('timestamp_granularities[]');
	json({
		text: 'Hello.',
		language: 'english',
		duration: 2,
		...(times.includes('segment') ? { segments: [{ start: 0, end: 2, text: 'Hello.' }] } : {}),
		...(times.includes('word') ? { words: [{ start: 0, end: 2, word: 'Hello' }] } : {}),
	})(got, res);
};

describe('a model behind the server keeps the sentence:', async () => {
	const upstream = await startScripted(listener);
	afterAll(() => upstream.close());
	const { baseURL } = upstream;
	for (const { name, run } of transcriptionModelSuite({
		create: () => createModel(openai.transcription({ baseURL, model: 'whisper-1' }), { clock: systemClock }),
		supports: { deterministic: true },
	})) {
		it(name, run);
	}
});
