import type { AudioFile, TranscriptionRequest } from '@plinth/plugin-transcription/model';
import { eventually, jsonResponse, scriptedUpstream } from '@plinth/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { aiSdk } from '../src/index.ts';
import { all, failureOf, modelOf, run } from './support/models.ts';
import { bytes, cut, failure, formOf, jsonOf } from './support/scripts.ts';

const server = await scriptedUpstream(() => {});
afterAll(() => server.stop());
const last = () => server.requests.at(-1) ?? expect.fail('nothing was sent');
const named = (model: string) => ({
	...{ provider: '@ai-sdk/openai', model, options: { baseURL: server.url, apiKey: 'key' } },
});

describe('a speech model', () => {
	const heads = {
		wav: 'RIFF\0\0\0\0WAVEfmt ',
		opus: 'OggS',
		flac: 'fLaC',
		mp3: '\xff\xfb\x90\x00',
		aac: '\xff\xf1\x50\x80',
	} as const;
	const speechRequest = { input: 'Good morning.', voice: 'nova', speed: 1 } as const;
	const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
	const createSpeech = (more: object = {}) =>
		modelOf(aiSdk.speech({ ...named('tts-1'), formats: [...formats], ...more }));

	test('sends the text, the voice, the speed and the instructions to the provider', async () => {
		server.script(bytes(Buffer.from(heads.mp3, 'latin1'), 'audio/mpeg'));
		await (await createSpeech()).speak(
			{ ...speechRequest, speed: 1.5, instructions: 'Whisper.', format: 'mp3' },
			run(),
		);
		expect(jsonOf(last())).toEqual({
			...{ model: 'tts-1', input: 'Good morning.', voice: 'nova', response_format: 'mp3', speed: 1.5 },
			instructions: 'Whisper.',
		});
	});

	test.each(Object.entries(heads))(
		'recognises %s by its first bytes, whatever format was requested',
		async (format, head) => {
			const file = Buffer.from(head, 'latin1');
			server.script(bytes(file, 'application/octet-stream'));
			const made = await (await createSpeech()).speak({ ...speechRequest, format: 'wav' }, run());
			expect('format' in made && made.format).toBe(format);
			expect(Buffer.concat(await all(made.body))).toEqual(file);
		},
	);

	test('returns samples at its own rate when it does not support the requested format', async () => {
		server.script(bytes(Buffer.alloc(9), 'audio/pcm'));
		const made = await (await createSpeech({ formats: ['pcm'], sampleRate: 16_000 })).speak(
			{ ...speechRequest, format: 'mp3' },
			run(),
		);
		expect(jsonOf(last()).response_format).toBe('pcm');
		expect(made).toMatchObject({ mediaType: 'audio/pcm', sampleRate: 16_000, channels: 1 });
		expect(Buffer.concat(await all(made.body))).toHaveLength(8);
	});

	test('rejects a format that neither it nor the server can produce', async () => {
		const model = await createSpeech({ formats: ['mp3'] });
		const failed = await failureOf(model.speak({ ...speechRequest, format: 'flac' }, run()));
		expect(failed).toMatchObject({ status: 400, code: 'unsupported_value', param: 'response_format' });
	});

	test.each([
		['sends text', bytes(Buffer.from('<html>'), 'text/html'), 'tts-1'],
		['breaks off', cut('ID3', 'audio/mpeg'), ''],
		['refuses its key', failure(401, { message: 'wrong key' }), 'wrong key'],
	])('fails when the provider %s', async (_, script) => {
		server.script(script);
		const failed = await failureOf((await createSpeech()).speak({ ...speechRequest, format: 'mp3' }, run()));
		expect(failed).toMatchObject({ status: 502, code: 'model_error' });
		expect(failed.log).toMatch(/^openai\.speech /);
	});
});

describe('a transcription model', () => {
	const audio: AudioFile = {
		...{ container: 'wav', mediaType: 'audio/wav', name: 'a.wav', size: 4, path: 'a.wav' },
		async *open() {
			yield Buffer.from('RI');
			yield Buffer.from('FF');
		},
		samples: () => expect.fail('no samples are needed'),
	};
	const request: TranscriptionRequest = { audio, task: 'transcribe', timestamps: [] };
	const runWith = (signal?: AbortSignal) => ({ ...run(signal), delta: () => {} });
	const createTranscription = (id = 'whisper-1') => {
		return modelOf(aiSdk.transcription({ ...named(id), timestamps: ['segment', 'word'] }));
	};

	test('sends the file, the language and the prompt to the provider', async () => {
		server.script(jsonResponse({ text: 'Hello.' }));
		const model = await createTranscription();
		await model.transcribe(
			{ ...request, language: 'de', prompt: 'Plinth', temperature: 0.2, timestamps: ['word', 'segment'] },
			runWith(),
		);
		const form = await formOf(last());
		expect(await (form.get('file') as File).text()).toBe('RIFF');
		expect((form.get('file') as File).name).toBe('audio.wav');
		const fields = ['model', 'language', 'prompt', 'temperature', 'response_format'].map((name) => form.get(name));
		expect(fields).toEqual(['whisper-1', 'de', 'Plinth', '0.2', 'verbose_json']);
		expect(form.getAll('timestamp_granularities[]')).toEqual(['word', 'segment']);
	});

	test('returns text, segments, words, language and duration', async () => {
		const segments = [{ id: 0, seek: 0, start: 0, end: 1.5, text: 'Hello.', tokens: [], temperature: 0 }];
		const more = { avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 };
		server.script(
			jsonResponse({
				...{ text: 'Hello.', language: 'german', duration: 2 },
				segments: segments.map((segment) => ({ ...segment, ...more })),
				words: [{ word: 'Hello', start: 0, end: 1 }],
			}),
		);
		const model = await createTranscription();
		expect(model.abilities).toEqual({ segments: true, words: true });
		expect(await model.transcribe(request, runWith())).toEqual({
			...{ text: 'Hello.', language: 'de', seconds: 2, warnings: [] },
			segments: [{ start: 0, end: 1.5, text: 'Hello.' }],
			words: [{ start: 0, end: 1, word: 'Hello' }],
		});
	});

	test('returns only the text when the provider sends nothing else', async () => {
		server.script(jsonResponse({ text: 'Hello.' }));
		const { text, segments, words } = await (await createTranscription('gpt-4o-transcribe')).transcribe(
			request,
			runWith(),
		);
		expect({ text, segments, words }).toEqual({ text: 'Hello.' });
	});

	test('maps provider errors to Plinth errors', async () => {
		server.script(failure(429, {}, { 'retry-after': '2' }));
		const failed = await failureOf((await createTranscription()).transcribe(request, runWith()));
		expect(failed).toMatchObject({ status: 429, code: 'rate_limit_exceeded', retryAfter: '2' });
	});

	test('an abort closes the connection, and rejects with the reason', async () => {
		server.script(() => {});
		const controller = new AbortController();
		const { length } = server.requests;
		const result = (await createTranscription()).transcribe(request, runWith(controller.signal));
		await eventually('the server receives the request', () => server.requests.length > length);
		controller.abort(new Error('gone'));
		await expect(result).rejects.toThrow('gone');
		await eventually('the server sees the closed connection', () => last().isAborted());
		const aborted = AbortSignal.abort(new Error('before'));
		await expect((await createTranscription()).transcribe(request, runWith(aborted))).rejects.toThrow('before');
	});
});
