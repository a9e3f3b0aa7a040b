import type { ServerResponse } from 'node:http';
import { openai } from '../src/index.ts';
import { hello } from './chat-calls.ts';
import { impatientClock } from './clock.ts';
import { keptLog, modelOf } from './harness.ts';
import { bytes, type Got, json, scripted, sse } from './upstream.ts';

/** A picture of one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A server that does well whatever it is asked. */
export function obliging(got: Got, res: ServerResponse): unknown {
	if (got.path.endsWith('/speech')) return bytes('ID3 and so on', 'audio/mpeg')(got, res);
	if (!got.path.endsWith('/completions')) return json({ data: [{ b64_json: png }] })(got, res);
	const whole = { choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }] };
	return got.json.stream ? sse(...hello)(got, res) : json(whole)(got, res);
}

async function surroundings(handler = obliging) {
	const upstream = await scripted(handler);
	const { log, lines } = keptLog();
	return { upstream, lines, around: { log, clock: impatientClock() }, baseURL: upstream.baseURL };
}

/** A chat model in front of such a server. */
export async function openedChat(options: object = {}, handler = obliging) {
	const { upstream, lines, around, baseURL } = await surroundings(handler);
	const model = await modelOf(openai.chat({ baseURL, retries: 0, ...options }), around);
	return { upstream, lines, model };
}

/** The same for pictures. */
export async function openedImage(options: object = {}) {
	const { upstream, lines, around, baseURL } = await surroundings();
	const binding = openai.image({ baseURL, retries: 0, forward: true, ...options });
	return { upstream, lines, model: await modelOf(binding, around) };
}

/** The same for speech. */
export async function openedSpeech(options: object = {}) {
	const { upstream, lines, around, baseURL } = await surroundings();
	const model = await modelOf(openai.speech({ baseURL, retries: 0, ...options }), around);
	return { upstream, lines, model };
}
