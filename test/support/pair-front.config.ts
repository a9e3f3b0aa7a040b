import { defineConfig, env } from '@plinth/core';
import { openai } from '@plinth/openai';

const { TEST_JOBS = '{}', TEST_SERVER = '{}' } = process.env;

const upstream = { baseURL: env('UPSTREAM_URL'), apiKey: env('UPSTREAM_KEY') };
const chat = { ...upstream, model: 'builtin-chat' };

/** The built-in composition whose models are those of another Plinth, which speaks OpenAI's own dialect: `plinth-pair.ts` starts it. */
export default defineConfig({
	extends: 'plinth:embedded',
	server: JSON.parse(TEST_SERVER),
	jobs: JSON.parse(TEST_JOBS),
	models: {
		'builtin-chat': false,
		'builtin-image': false,
		'builtin-speech': false,
		'builtin-video': false,
		'far-chat': openai.chat(chat),
		'far-reader': openai.chat({ ...chat, files: ['application/pdf', 'text/plain'] }),
		'far-image': openai.image({ ...upstream, model: 'builtin-image' }),
		'far-speech': openai.speech({ ...upstream, model: 'builtin-speech' }),
		'far-video': openai.video({ ...upstream, model: 'builtin-video' }),
	},
});
