import { type AppConfig, defineConfig, env } from '@plinth/core';
import { openai } from '@plinth/openai';

/** The kinds of models that the gateway is measured with. */
export type Kind = 'chat' | 'image' | 'speech' | 'video';

const upstream = { baseURL: env('BENCH_UPSTREAM'), apiKey: 'sk-bench' };

/** All clients send the same body to all gateways, so the model is called `mock` whatever its kind. */
const models: Readonly<Record<Kind, NonNullable<AppConfig['models']>>> = {
	chat: {
		mock: openai.chat(upstream),
		'mock-paced': openai.chat(upstream),
		'mock-hold': openai.chat(upstream),
	},
	// The mock responds with base64 only, as OpenAI's own models do.
	image: { mock: openai.image({ ...upstream, forward: true }) },
	speech: { mock: openai.speech(upstream) },
	video: { mock: openai.video({ ...upstream, pollSeconds: 0.1 }) },
};

/** The built-in composition with models of another server. */
export default defineConfig({
	extends: 'plinth:embedded',
	// All requests use one key, including a thousand streams.
	server: { limits: { requestsPerTenant: 2_000 } },
	models: {
		'builtin-chat': false,
		'builtin-image': false,
		'builtin-speech': false,
		'builtin-video': false,
		...models[(process.env.BENCH_KIND ?? 'chat') as Kind],
	},
});
