import { defineConfig, env } from '@plinth/core';
import { openai } from '@plinth/openai';

const { TEST_JOBS = '{}', TEST_SERVER = '{}' } = process.env;

const upstream = { baseURL: env('UPSTREAM_URL'), apiKey: env('UPSTREAM_KEY') };
const chat = { ...upstream, model: 'builtin-chat' };

/**
 * The default composition with the models of another Plinth server, which it calls through the OpenAI API. Started by
 * `plinth-pair.ts`.
 */
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
