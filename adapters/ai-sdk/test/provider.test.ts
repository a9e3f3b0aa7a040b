import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonResponse, scriptedUpstream } from '@plinth/testing';
import {
	generateImage,
	generateSpeech,
	generateText,
	experimental_generateVideo as generateVideo,
	experimental_getVideoStatus as getVideoStatus,
	experimental_startVideo as startVideo,
	streamText,
	transcribe,
} from 'ai';
import { afterAll, describe, expect, test } from 'vitest';
import { createPlinth } from '../src/provider/index.ts';
import { bytes, chunk, failure, formOf, jsonOf } from './support/scripts.ts';

const server = await scriptedUpstream(() => {});
afterAll(() => server.stop());
const plinth = createPlinth({ baseURL: `${server.url}/v1/`, apiKey: 'the-key', headers: { 'x-team': 'red' } });
const last = () => server.requests.at(-1) ?? expect.fail('nothing was sent');

const png = Buffer.from('\x89PNG\r\n\x1a\npicture', 'latin1');
const record = { id: 'video_1', object: 'video', status: 'queued', progress_percent: 0 };
const noRetry = { maxRetries: 0 };

describe('a request', () => {
	test('has the key, the headers of the provider and the headers of the call', async () => {
		const choices = [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }];
		server.script(jsonResponse({ id: '1', created: 1, model: 'm', choices, warnings: ['Slow today.'] }));
		const { text, providerMetadata } = await generateText({
			...{ model: plinth('chat-1'), prompt: 'Is it?', headers: { 'idempotency-key': 'k-1' } },
			providerOptions: { plinth: { user: 'u-1' } },
		});
		const { path, headers } = last();
		expect([text, path]).toEqual(['Yes', '/v1/chat/completions']);
		expect(headers).toMatchObject({ authorization: 'Bearer the-key', 'x-team': 'red', 'idempotency-key': 'k-1' });
		expect(jsonOf(last())).toMatchObject({ model: 'chat-1', user: 'u-1' });
		expect(providerMetadata?.plinth).toMatchObject({ warnings: ['Slow today.'] });
	});

	test('goes through the fetch function of the caller', async () => {
		const addresses: string[] = [];
		const own = createPlinth({
			baseURL: 'https://media.example/v1',
			async fetch(url, init) {
				addresses.push(`${url} ${new Headers(init?.headers).get('authorization')}`);
				return new Response(png, { headers: { 'content-type': 'audio/wav' } });
			},
		});
		await generateSpeech({ model: own.speechModel('s'), text: 'Hello.' });
		expect(addresses).toEqual(['https://media.example/v1/audio/speech null']);
	});

	test('has an error with reason, status and retry-after when the server rejects it', async () => {
		server.script(failure(429, { message: 'Too many jobs.', code: 'queue_full' }, { 'retry-after': '30' }));
		const refused = startVideo({ model: plinth.videoModel('v'), prompt: 'a lake', ...noRetry });
		await expect(refused).rejects.toMatchObject({
			...{ message: 'Too many jobs.', statusCode: 429, isRetryable: true },
			responseHeaders: { 'retry-after': '30' },
		});
	});
});

test('a stream contains the warnings', async () => {
	server.script((response) => {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const end = { ...chunk({}, 'stop'), warnings: ['No pictures.'] };
		response.end(
			`data: ${JSON.stringify(chunk({ content: 'Yes' }))}\n\ndata: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`,
		);
	});
	const result = streamText({ model: plinth('m'), prompt: 'Is it?' });
	expect(await result.text).toBe('Yes');
	expect((await result.providerMetadata)?.plinth).toMatchObject({ warnings: ['No pictures.'] });
});

describe('a picture', () => {
	const made = jsonResponse({ data: [{ b64_json: png.toString('base64') }] });

	test('is requested with the seed and further options', async () => {
		server.script(made);
		const { warnings, image } = await generateImage({
			...{ model: plinth.imageModel('i'), prompt: 'a cat', size: '1024x1024', seed: 7 },
			providerOptions: { plinth: { quality: 'high', num_inference_steps: 9 } },
		});
		expect(jsonOf(last())).toEqual({
			...{ model: 'i', prompt: 'a cat', n: 1, size: '1024x1024', seed: 7, quality: 'high', num_inference_steps: 9 },
		});
		expect([warnings, image.mediaType]).toEqual([[], 'image/png']);
	});

	test('is edited with a mask', async () => {
		server.script(made);
		await generateImage({
			model: plinth.imageModel('i'),
			prompt: { text: 'as a dog', images: [png], mask: png },
			seed: 7,
		});
		const form = await formOf(last());
		expect([last().path, form.get('prompt'), form.get('seed')]).toEqual(['/v1/images/edits', 'as a dog', '7']);
		expect([form.get('image'), form.get('mask')]).toEqual([expect.any(File), expect.any(File)]);
	});
});

test('speech defaults to WAV and the voice alloy, and has no language', async () => {
	server.script(bytes(Buffer.from('RIFF\0\0\0\0WAVE'), 'audio/wav'));
	const model = plinth.speechModel('s');
	const { audio, warnings } = await generateSpeech({ model, text: 'Hello.', language: 'en' });
	expect(jsonOf(last())).toEqual({ model: 's', input: 'Hello.', voice: 'alloy', response_format: 'wav' });
	expect([audio.mediaType, warnings]).toEqual(['audio/wav', [{ type: 'unsupported', feature: 'language' }]]);
	await generateSpeech({
		...{ model, text: 'Hello.', voice: 'nova', outputFormat: 'mp3', speed: 1.5, instructions: 'Whisper.' },
	});
	expect(jsonOf(last())).toMatchObject({ voice: 'nova', response_format: 'mp3', speed: 1.5, instructions: 'Whisper.' });
});

test('a transcription has timestamps only when they are requested', async () => {
	server.script(jsonResponse({ text: 'Hello.', usage: { type: 'duration', seconds: 2 } }));
	const model = plinth.transcriptionModel('t');
	const audio = Buffer.from('RIFF\0\0\0\0WAVEfmt ');
	expect(await transcribe({ model, audio })).toMatchObject({ text: 'Hello.', durationInSeconds: 2, segments: [] });
	expect((await formOf(last())).get('response_format')).toBe('json');
	const words = [{ word: 'Hello', start: 0, end: 1 }];
	server.script(jsonResponse({ text: 'Hello.', language: 'en', duration: 2, words, warnings: ['No prompt.'] }));
	const options = { plinth: { language: 'en', prompt: 'Plinth' } };
	const timed = await transcribe({ model, audio, timestampGranularities: ['word'], providerOptions: options });
	expect(timed.words).toEqual([{ text: 'Hello', startSecond: 0, endSecond: 1 }]);
	expect(timed.warnings).toEqual([{ type: 'other', message: 'No prompt.' }]);
	const { file: _, ...fields } = Object.fromEntries(await formOf(last()));
	expect(fields).toEqual({
		...{ model: 't', response_format: 'verbose_json', 'timestamp_granularities[]': 'word' },
		...options.plinth,
	});
});

test.each([
	['english', 'en'],
	['German', 'de'],
	['pt', 'pt'],
	['klingonese', undefined],
])('a transcription in %s is in the language %s', async (language, expected) => {
	server.script(jsonResponse({ text: 'Hello.', language }));
	const audio = Buffer.from('RIFF\0\0\0\0WAVEfmt ');
	expect((await transcribe({ model: plinth.transcriptionModel('t'), audio })).language).toBe(expected);
});

describe('a video', () => {
	const model = plinth.videoModel('v');
	const videoBytes = Buffer.from('a film');

	test('is started once: all retries send the idempotency key of the SDK', async () => {
		const { length } = server.requests;
		server.script(failure(503, {}, { 'retry-after-ms': '1' }), jsonResponse(record, 201));
		const { operation, warnings } = await startVideo({
			...{ model, prompt: 'a lake', resolution: '1280x720', duration: 4, seed: 7, fps: 24, aspectRatio: '16:9' },
		});
		expect(operation).toEqual({ id: 'video_1' });
		const tries = server.requests.slice(length);
		expect(tries.map(({ path }) => path)).toEqual(['/v1/videos', '/v1/videos']);
		expect(new Set(tries.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
		expect(last().headers['idempotency-key']).toMatch(/^aisdk_vid_/);
		expect(jsonOf(last())).toEqual({ model: 'v', prompt: 'a lake', size: '1280x720', seconds: '4' });
		expect(warnings.map((warning) => 'feature' in warning && warning.feature)).toEqual(['aspectRatio', 'fps', 'seed']);
	});

	test.each([
		['the prompt', { prompt: { text: 'a lake', image: png } }],
		['the first frame', { prompt: 'a lake', frameImages: [{ image: png, frameType: 'first_frame' as const }] }],
		['the references', { prompt: 'a lake', inputReferences: [png] }],
	])('has the picture of %s to start from', async (_, options) => {
		server.script(jsonResponse(record, 201));
		const { warnings } = await startVideo({ model, ...options });
		const form = await formOf(last());
		const picture = form.get('input_reference') as File;
		expect([picture.type, Buffer.from(await picture.arrayBuffer())]).toEqual(['image/png', png]);
		expect([form.get('prompt'), warnings]).toEqual(['a lake', []]);
	});

	test('accepts a picture by URL, which the server fetches', async () => {
		server.script(jsonResponse(record, 201));
		await startVideo({ model, prompt: { text: 'a lake', image: 'https://example.com/a.png' } });
		expect(jsonOf(last()).input_reference).toEqual({ image_url: 'https://example.com/a.png' });
	});

	test('reports its progress, then its bytes and warnings', async () => {
		server.script(jsonResponse({ ...record, status: 'in_progress', progress_percent: 40 }));
		const operation = { id: 'video_1' };
		expect(await getVideoStatus(model, { operation })).toMatchObject({
			...{ status: 'pending', providerMetadata: { plinth: { status: 'in_progress', progress: 40 } } },
		});
		const done = jsonResponse({ ...record, status: 'completed', warnings: ['No seed.'] });
		server.script(done, bytes(videoBytes, 'video/mp4'));
		expect(await getVideoStatus(model, { operation })).toMatchObject({
			...{ status: 'completed', warnings: [{ type: 'other', message: 'No seed.' }] },
			videos: [{ type: 'binary', data: new Uint8Array(videoBytes), mediaType: 'video/mp4' }],
		});
		expect(last().path).toBe('/v1/videos/video_1/content');
	});

	test('has the error message when it failed', async () => {
		server.script(jsonResponse({ ...record, status: 'failed', error: { code: 'x', message: 'Out of memory.' } }));
		expect(await getVideoStatus(model, { operation: { id: 'video_1' } })).toMatchObject({
			...{ status: 'error', error: 'Out of memory.' },
		});
	});

	test('waits for a webhook when one is given, and does not poll', async () => {
		const done = jsonResponse({ ...record, status: 'completed' });
		server.script(jsonResponse(record, 201), done, bytes(videoBytes, 'video/mp4'));
		const { length } = server.requests;
		const received = Promise.withResolvers<{ headers: Record<string, string>; body: string }>();
		const making = generateVideo({
			...{ model, prompt: 'a lake', providerOptions: { plinth: { callback_secret: 'whsec_1' } } },
			async webhook() {
				queueMicrotask(() => received.resolve({ headers: {}, body: '{}' }));
				return { url: 'https://app.example/hook', received: received.promise };
			},
		});
		expect((await making).video.uint8Array).toEqual(new Uint8Array(videoBytes));
		const [start, ...rest] = server.requests.slice(length);
		expect(jsonOf(start ?? expect.fail())).toMatchObject({
			callback_url: 'https://app.example/hook',
			callback_secret: 'whsec_1',
		});
		expect(rest.map(({ path }) => path)).toEqual(['/v1/videos/video_1', '/v1/videos/video_1/content']);
	});
});

test('there are no embedding models', () => {
	expect(() => plinth.embeddingModel('e')).toThrow(/No such embeddingModel: e/);
});

test('the client package imports no server code', () => {
	const folder = join(import.meta.dirname, '../src/provider');
	const files = globSync('*.ts', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
	const imported = files.flatMap((text) => [...text.matchAll(/\bfrom '([^']+)'/g)].map(([, name = '']) => name));
	expect([...new Set(imported.filter((name) => !name.startsWith('./')))].sort()).toEqual([
		...['@ai-sdk/openai-compatible', '@ai-sdk/provider', '@ai-sdk/provider-utils', 'zod'],
	]);
});
