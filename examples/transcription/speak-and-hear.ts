import { join } from 'node:path';
import { createApp } from '@plinth/core';
import { findConfig } from 'plinth';

// npm start -w examples/transcription -- 'The lighthouse is on the hill.'
const sentence = process.argv[2] ?? 'The lighthouse is on the hill.';

const key = 'a-key-for-this-script';
const env = { PLINTH_LOG_LEVEL: 'warn', ...process.env, PLINTH_API_KEYS: key };
const { config, ...found } = await findConfig({ file: join(import.meta.dirname, 'plinth.config.ts'), env });
const app = await createApp(config, { ...found, env });
try {
	const spoken = { model: 'builtin-speech', voice: 'echo', input: sentence, response_format: 'wav' };
	const speech = await post('/v1/audio/speech', JSON.stringify(spoken), { 'content-type': 'application/json' });
	const form = new FormData();
	form.append('model', 'sphinx');
	form.append('response_format', 'verbose_json');
	form.append('timestamp_granularities[]', 'word');
	form.append('file', await speech.blob(), 'said.wav');
	const { text, words } = (await (await post('/v1/audio/transcriptions', form)).json()) as Heard;
	console.log(`said   ${sentence}\nheard  ${text}`);
	for (const { start, end, word } of words) console.log(`${start.toFixed(2)} to ${end.toFixed(2)} s  ${word}`);
} finally {
	await app.stop();
}

interface Heard {
	readonly text: string;
	readonly words: readonly { readonly start: number; readonly end: number; readonly word: string }[];
}

async function post(path: string, body: string | FormData, headers: Record<string, string> = {}): Promise<Response> {
	const init = { method: 'POST', headers: { 'x-api-key': key, ...headers }, body };
	const response = await app.fetch(new Request(`http://plinth.local${path}`, init));
	if (!response.ok) throw new Error(await response.text());
	return response;
}
