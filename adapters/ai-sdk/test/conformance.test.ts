import { setTimeout as delay } from 'node:timers/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { chatModelSuite } from '@plinth/plugin-chat/testing';
import { imageModelSuite } from '@plinth/plugin-image/testing';
import { speechModelSuite } from '@plinth/plugin-speech/testing';
import { transcriptionModelSuite } from '@plinth/plugin-transcription/testing';
import { smallMp4, videoModelSuite } from '@plinth/plugin-video/testing';
import { sharpImages } from '@plinth/sharp';
import { type ConformanceCase, createBackend, scriptedUpstream, type UpstreamScript } from '@plinth/testing';
import type { ImageCodec } from '@plinth/toolkit';
import { createReplicate } from 'replicate-of-specification-v3';
import { afterAll, describe, test } from 'vitest';
import { aiSdk } from '../src/index.ts';
import { subjectOf } from './support/models.ts';
import { chunk, failure, formOf, jsonOf, Predictions } from './support/scripts.ts';

async function upstreamOf(script: UpstreamScript): Promise<string> {
	const upstream = await scriptedUpstream(script);
	afterAll(() => upstream.stop());
	return `${upstream.url}/v1`;
}

function runAll(cases: readonly ConformanceCase[]): void {
	for (const { name, run } of cases) test(name, run);
}

interface ChatBody {
	readonly tools?: readonly { readonly function: { readonly name: string } }[];
	readonly tool_choice?: string | { readonly function: { readonly name: string } };
	readonly response_format?: { readonly type: string };
	readonly max_tokens?: number;
	readonly seed: number;
}

/** Follows each instruction literally. */
const chatScript: UpstreamScript = async (response, request) => {
	const ask = jsonOf<ChatBody>(request);
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	for (const piece of piecesOf(ask)) {
		await delay(1);
		if (response.destroyed) return;
		response.write(`data: ${JSON.stringify(piece)}\n\n`);
	}
	response.end('data: [DONE]\n\n');
};

function piecesOf(ask: ChatBody): object[] {
	const choice = ask.tool_choice;
	const name = typeof choice === 'object' ? choice.function.name : ask.tools?.[0]?.function.name;
	if (name && (choice === 'required' || typeof choice === 'object')) {
		const json = name === 'get_time' ? '{}' : '{"amount":42,"currency":"SEK"}';
		const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: json } };
		return [chunk({ role: 'assistant', tool_calls: [call] }), chunk({}, 'tool_calls')];
	}
	const words = wordsOf(ask).slice(0, ask.max_tokens);
	const usage = { prompt_tokens: 30, completion_tokens: words.length };
	const end = chunk({}, ask.max_tokens === undefined ? 'stop' : 'length');
	return [...words.map((content) => chunk({ content })), { ...end, usage }];
}

function wordsOf({ response_format: format, seed }: ChatBody): string[] {
	if (format?.type === 'json_object') return ['{"total":', '42}'];
	if (format) return ['{"answer":"42","isPaid":false,', '"kind":"bill","items":[]}'];
	return ['The total ', 'is 42 EUR. ', `(${seed})`];
}

/** Converts the parts of a model of version 4 to those of version 3. */
function asVersion3(baseURL: string): LanguageModelV3 {
	const provider = createOpenAICompatible({
		name: 'old',
		baseURL,
		includeUsage: true,
		supportsStructuredOutputs: true,
	});
	const model = provider.languageModel('m');
	return {
		specificationVersion: 'v3',
		provider: 'old.chat',
		modelId: 'm',
		supportedUrls: {},
		doGenerate: () => Promise.reject(new Error('not called')),
		async doStream({ prompt, ...options }) {
			const text = JSON.stringify(prompt);
			const asked = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
			const { stream } = await model.doStream({ ...options, prompt: asked } as Parameters<typeof model.doStream>[0]);
			return { stream: stream as ReadableStream<LanguageModelV3StreamPart> };
		},
	};
}

const chatURL = await upstreamOf(chatScript);

describe('a chat model of a package conforms:', () => {
	const options = { name: 'us', baseURL: chatURL, includeUsage: true, supportsStructuredOutputs: true };
	const instance = aiSdk.chat({ provider: '@ai-sdk/openai-compatible', model: 'm', options });
	runAll(chatModelSuite({ create: () => subjectOf(instance), supports: { deterministic: true } }));
});

describe('a chat model of version 3 conforms:', () => {
	const instance = aiSdk.chat(asVersion3(chatURL));
	runAll(chatModelSuite({ create: () => subjectOf(instance), supports: { deterministic: true } }));
});

const { provided: images, stop } = await createBackend<ImageCodec>(sharpImages());
afterAll(stop);
let pictureCount = 0;

/** Returns a different picture each time, after a short delay. */
const imageScript: UpstreamScript = async (response, request) => {
	const isForm = `${request.headers['content-type']}`.startsWith('multipart/');
	const { n = 1, size = '64x48' } = isForm ? Object.fromEntries(await formOf(request)) : jsonOf(request);
	const [width = 64, height = 48] = `${size}`.split('x').map(Number);
	const data = new Uint8Array(width * height * 4).fill(++pictureCount);
	const picture = await images.encode({ width, height, data }, { format: 'png', effort: 1 });
	await delay(5);
	const b64 = Buffer.from(picture).toString('base64');
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end(JSON.stringify({ data: Array.from({ length: Number(n) }, () => ({ b64_json: b64 })) }));
};

const imageURL = await upstreamOf(imageScript);

describe('an image model of a package conforms:', () => {
	const options = { name: 'us', baseURL: imageURL };
	const operations = ['generate', 'edit'] as const;
	const instance = aiSdk.image({
		...{ provider: '@ai-sdk/openai-compatible', model: 'm', options },
		operations: [...operations],
	});
	runAll(imageModelSuite({ create: () => subjectOf(instance), images, supports: { transparency: false } }));
});

const heads: Readonly<Record<string, string>> = {
	mp3: '\xff\xfb\x90\x00',
	wav: 'RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0\x01\0\xc0\x5d\0\0\x80\xbb\0\0\x02\0\x10\0data\xff\xff\xff\xff',
	pcm: '',
};

/** Returns a constant sound, after a short delay. */
const speechScript: UpstreamScript = async (response, request) => {
	const { input, response_format: format, speed = 1 } = jsonOf(request);
	if (`${input}`.trim() === '') return failure(400, { message: 'empty' })(response, request);
	const sound = Buffer.alloc(Math.round(1_601 / Number(speed)), 7);
	await delay(5);
	response.writeHead(200, { 'content-type': 'application/octet-stream' });
	response.end(Buffer.concat([Buffer.from(heads[`${format}`] ?? '', 'latin1'), sound]));
};

const speechURL = await upstreamOf(speechScript);

describe('a speech model of a package conforms:', () => {
	const options = { baseURL: speechURL, apiKey: 'key' };
	const instance = aiSdk.speech({ provider: '@ai-sdk/openai', model: 'tts-1', options });
	runAll(speechModelSuite({ create: () => subjectOf(instance), supports: { deterministic: true, speed: true } }));
});

const videos = new Predictions(
	({ size, duration, seed, image = '' }) => {
		const [width = 0, height = 0] = `${size}`.split('x').map(Number);
		return smallMp4({ width, height, seconds: Number(duration) }, `${seed} ${image}`);
	},
	[{ status: 'processing' }, { status: 'succeeded' }],
);
const videosURL = await upstreamOf(videos.script);

describe('a video model with operations conforms:', () => {
	const options = { baseURL: videosURL, apiToken: 'token' };
	const instance = aiSdk.video({ provider: '@ai-sdk/replicate', model: 'a/b', options, pollSeconds: 0.1 });
	const supports = { deterministic: true, resume: true, reference: true };
	runAll(videoModelSuite({ create: () => subjectOf(instance), supports }));
});

describe('a video model of version 3 conforms:', () => {
	const replicate = createReplicate({ baseURL: videosURL, apiToken: 'token' });
	const instance = aiSdk.video({
		model: replicate.video('a/b'),
		providerOptions: { replicate: { pollIntervalMs: 50 } },
		resultOrigins: [videosURL],
	});
	runAll(videoModelSuite({ create: () => subjectOf(instance), supports: { deterministic: true, reference: true } }));
});

/** Returns the same transcript for every file, after a short delay. */
const transcriptionScript: UpstreamScript = async (response) => {
	await delay(20);
	const segments = [{ id: 0, seek: 0, start: 0, end: 1, text: 'The total is 42.', tokens: [], temperature: 0 }];
	const more = { avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 };
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end(
		JSON.stringify({
			...{ text: 'The total is 42.', language: 'english', duration: 1 },
			segments: segments.map((segment) => ({ ...segment, ...more })),
			words: [{ word: 'total', start: 0.2, end: 0.5 }],
		}),
	);
};
const transcriptionURL = await upstreamOf(transcriptionScript);

describe('a transcription model conforms:', () => {
	const options = { baseURL: transcriptionURL, apiKey: 'sk-test' };
	const chosen = { provider: '@ai-sdk/openai', model: 'whisper-1', options };
	const instance = aiSdk.transcription({ ...chosen, timestamps: ['segment', 'word'] });
	runAll(transcriptionModelSuite({ create: () => subjectOf(instance), supports: { deterministic: true } }));
});
