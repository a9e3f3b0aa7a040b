import type { ServerResponse } from 'node:http';
import { openai } from '../src/index.ts';
import { hello } from './chat-calls.ts';
import { fastForwardClock } from './fast-forward-clock.ts';
import { keptLog, modelOf } from './harness.ts';
import { bytes, json, scripted, sse, type UpstreamRequest } from './upstream.ts';

/** A picture of one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A server that answers all requests with success. */
export function workingServer(request: UpstreamRequest, res: ServerResponse): unknown {
	if (request.path.endsWith('/speech')) return bytes('ID3 and so on', 'audio/mpeg')(request, res);
	if (!request.path.endsWith('/completions')) return json({ data: [{ b64_json: png }] })(request, res);
	const whole = { choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }] };
	return request.json.stream ? sse(...hello)(request, res) : json(whole)(request, res);
}

async function createContext(handler = workingServer) {
	const upstream = await scripted(handler);
	const { log, lines } = keptLog();
	return { upstream, lines, around: { log, clock: fastForwardClock() }, baseURL: upstream.baseURL };
}

/** A chat model whose upstream is such a server. */
export async function chatModel(options: object = {}, handler = workingServer) {
	const { upstream, lines, around, baseURL } = await createContext(handler);
	const model = await modelOf(openai.chat({ baseURL, retries: 0, ...options }), around);
	return { upstream, lines, model };
}

/** An image model whose upstream is such a server. */
export async function imageModel(options: object = {}) {
	const { upstream, lines, around, baseURL } = await createContext();
	const binding = openai.image({ baseURL, retries: 0, forward: true, ...options });
	return { upstream, lines, model: await modelOf(binding, around) };
}

/** A speech model whose upstream is such a server. */
export async function speechModel(options: object = {}) {
	const { upstream, lines, around, baseURL } = await createContext();
	const model = await modelOf(openai.speech({ baseURL, retries: 0, ...options }), around);
	return { upstream, lines, model };
}
