import { aiSdk } from '@plinth/ai-sdk';
import { command } from '@plinth/command';
import { openai } from '@plinth/openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

/** No server listens here: a request that reaches an upstream is answered with 5xx. */
const baseURL = 'http://127.0.0.1:9/v1';
// The model fails without a retry.
const program = { protocol: 'json' as const, argv: ['false'] };
const rented = { provider: '@ai-sdk/openai', options: { baseURL, apiKey: 'key' } };

/** The options of a video model in a config, and how `/v1/models` shows them. */
function stated() {
	const sizes: ['1280x720', '720x1280'] = ['1280x720', '720x1280'];
	const seconds: [4, 8] = [4, 8];
	return { sizes, seconds, fps: 24, reference: false };
}
const videoFacts = { sizes: ['1280x720', '720x1280'], seconds: [4, 8], fps: 24, input_reference: false };

let served: Served;

beforeAll(async () => {
	const plain = ['false', '{width}', '{height}', '{seconds}', '{seed}', ['-i', '{reference}']];
	const model = { specificationVersion: 'v4', provider: 'test', modelId: 'film' } as never;
	served = await serveEmbedded({
		models: {
			'openai-video': openai.video({ baseURL, ...stated() }),
			'localai-video': openai.video({ baseURL, dialect: 'localai', ...stated() }),
			'command-video': command.video({ ...program, ...stated() }),
			'plain-video': command.video({ protocol: 'plain', argv: plain }),
			'rented-video': aiSdk.video({ model, ...stated() }),
			'openai-image': openai.image({ baseURL, sizes: ['1024x1024'], operations: ['generate'] }),
			'openai-speech': openai.speech({ baseURL, voices: ['nova'], languages: ['en', 'de'], formats: ['mp3'] }),
			'wav-speech': openai.speech({ baseURL, formats: ['wav'] }),
			'command-speech': command.speech({ ...program, voices: ['nova'], languages: ['en'], formats: ['opus'] }),
			'rented-speech': aiSdk.speech({ ...rented, model: 'tts-1', languages: ['en'], formats: ['mp3', 'wav'] }),
			'openai-chat': openai.chat({ baseURL, contextTokens: 8_192, json: 'none', tools: false }),
			'command-chat': command.chat({ ...program, contextTokens: 4_096 }),
			'rented-chat': aiSdk.chat({ ...rented, model: 'gpt-5', contextTokens: 2_048 }),
			'openai-ears': openai.transcription({ baseURL, languages: ['en', 'de'] }),
			'command-ears': command.transcription({ ...program, languages: ['fr'] }),
			'rented-ears': aiSdk.transcription({ ...rented, model: 'whisper-1', languages: ['es', 'pt'] }),
		},
	});
});

afterAll(() => served?.stop());

const headers = { authorization: `Bearer ${keyA}` };
const everyFormat = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'];

test.each([
	['openai-video', videoFacts],
	['localai-video', videoFacts],
	['command-video', videoFacts],
	['plain-video', { input_reference: true }],
	['rented-video', videoFacts],
	['openai-image', { sizes: ['1024x1024'], formats: ['png', 'jpeg', 'webp'], generate: true, edit: false }],
	['builtin-speech', { languages: ['en'], formats: everyFormat }],
	['openai-speech', { voices: ['nova'], languages: ['en', 'de'], formats: ['mp3'] }],
	['wav-speech', { formats: everyFormat }],
	['command-speech', { voices: ['nova'], languages: ['en'], formats: ['opus'] }],
	['rented-speech', { languages: ['en'], formats: ['mp3', 'wav'] }],
	['openai-chat', { context_tokens: 8_192, json: 'none', tools: false }],
	['command-chat', { context_tokens: 4_096 }],
	['rented-chat', { context_tokens: 2_048 }],
	['openai-ears', { languages: ['en', 'de'] }],
	['command-ears', { languages: ['fr'] }],
	['rented-ears', { languages: ['es', 'pt'] }],
])('%s shows its capabilities', async (id, facts) => {
	const response = await fetch(`${served.url}/v1/models/${id}`, { headers });
	const { capabilities } = (await response.json()) as { capabilities: object };
	expect(capabilities).toMatchObject(facts);
});

const picture = { image_url: 'data:image/png;base64,iVBORw0KGgo=' };
const clip = (fields: object) => ['/v1/videos', { prompt: 'x', size: '1280x720', ...fields }] as const;
const image = (fields: object) => ['/v1/images/generations', { prompt: 'x', ...fields }] as const;
const speech = (fields: object) => ['/v1/audio/speech', { input: 'x', voice: 'nova', ...fields }] as const;
const messages = [{ role: 'user', content: 'x' }];
const chat = (fields: object) => ['/v1/chat/completions', { messages, ...fields }] as const;
const transcription = (fields: object) => ['/v1/audio/transcriptions', fields] as const;
const tools = [{ type: 'function', function: { name: 'f' } }];

test('a size or length that no request may have prevents the start; the error lists the allowed ones', async () => {
	const video = openai.video({ baseURL, sizes: ['1920x1080' as '1280x720'], seconds: [5 as 4] });
	const booting = serveEmbedded({ models: { video } });
	await expect(booting).rejects.toThrow(/one of "720x1280".*with\.sizes\[0\].*one of 2\|4\|8\|12.*with\.seconds\[0\]/s);
});

describe('a request for an unsupported value is refused with the list of supported ones', () => {
	test.each([
		...['openai-video', 'localai-video', 'command-video', 'rented-video'].flatMap(
			(model) =>
				[
					[model, clip({ size: '640x480' }), 'size', '1280x720, 720x1280'],
					[model, clip({ seconds: '12' }), 'seconds', '4, 8'],
					[model, clip({ input_reference: picture }), 'input_reference', 'does not start from a picture'],
				] as const,
		),
		['openai-image', image({ size: '512x512' }), 'size', '1024x1024'],
		['openai-speech', speech({ response_format: 'wav' }), 'response_format', 'Ask for one of mp3,'],
		['openai-speech', speech({ response_format: 'mp3', voice: 'echo' }), 'voice', 'It has: nova.'],
		['command-speech', speech({}), 'response_format', 'Ask for one of opus,'],
		['rented-speech', speech({ response_format: 'flac' }), 'response_format', 'Ask for one of mp3, wav,'],
		['openai-chat', chat({ max_tokens: 8_193 }), 'max_tokens', '8192 tokens'],
		['openai-chat', chat({ max_tokens: 8_193, metadata: {} }), 'max_tokens', '8192 tokens'],
		['openai-chat', chat({ tools }), 'tools', 'calls no tools'],
		['openai-chat', chat({ response_format: { type: 'json_object' } }), 'response_format.type', 'plain text'],
		['command-chat', chat({ max_completion_tokens: 5_000 }), 'max_completion_tokens', '4096 tokens'],
		['rented-chat', chat({ max_tokens: 5_000, stream: true }), 'max_tokens', '2048 tokens'],
		['openai-ears', transcription({ language: 'fr' }), 'language', 'en, de'],
		['command-ears', transcription({ language: 'en' }), 'language', 'fr'],
		['rented-ears', transcription({ language: 'en' }), 'language', 'es, pt'],
	] as const)('by %s: %j', async (model, [path, fields], param, part) => {
		const body =
			path === '/v1/audio/transcriptions' ? formOf({ model, ...fields }) : JSON.stringify({ model, ...fields });
		const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
		const response = await fetch(`${served.url}${path}`, { method: 'POST', headers: { ...headers, ...type }, body });
		expect(response.status).toBe(400);
		const { error } = (await response.json()) as { error: { message: string } };
		expect(error).toMatchObject({ param, message: expect.stringContaining(part) });
	});
});

function formOf(fields: Readonly<Record<string, string>>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	form.append('file', new Blob(['RIFF\x24\0\0\0WAVEfmt ']), 'a.wav');
	return form;
}
