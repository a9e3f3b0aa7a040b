import type { Target, WireRequest } from '../harness/load.ts';
import type { Gateway } from './gateways.ts';
import type { Kind } from './plinth.config.ts';

/** What is asked of all gateways, with the same body. */
export interface Workload {
	readonly name: string;
	readonly kind: Kind;
	/** The path and the body; without one it is a GET. */
	request(gateway: Gateway): { readonly path: string; readonly body?: object };
	/**
	 * What an answer says to a client, whoever has spelt it: a gateway that reads and writes answers may change the rest. The bytes themselves where
	 * nothing is to be spelt.
	 */
	meaning(body: Buffer): unknown;
}

const question = (model: string) => ({
	model,
	messages: [
		{ role: 'system', content: 'You are a helpful assistant. '.repeat(8) },
		{ role: 'user', content: 'Say something about proxies. '.repeat(6) },
	],
	temperature: 0.7,
	// OpenAI's word of today: with the older `max_tokens` our server writes the request anew.
	max_completion_tokens: 256,
});

const completions = '/v1/chat/completions';

/** The words of an event stream. */
function words(body: Buffer): string {
	const events = body.toString().match(/^data: \{.*$/gm) ?? [];
	return events.map((line) => (JSON.parse(line.slice(6)) as Chunk).choices[0]?.delta.content ?? '').join('');
}

interface Chunk {
	readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

const streamed = (name: string, model: string): Workload => ({
	name,
	kind: 'chat',
	request: () => ({ path: completions, body: { ...question(model), stream: true } }),
	meaning: words,
});

/** All workloads by their names. */
export const workloads = {
	chat: {
		name: 'chat 1 KB',
		kind: 'chat',
		request: () => ({ path: completions, body: question('mock') }),
		meaning: (body) =>
			(JSON.parse(body.toString()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content,
	},
	sse: streamed('SSE burst, 200 chunks', 'mock'),
	paced: streamed('SSE paced', 'mock-paced'),
	held: streamed('SSE held', 'mock-hold'),
	image: {
		name: 'image 2 MB',
		kind: 'image',
		request: () => ({
			path: '/v1/images/generations',
			body: { model: 'mock', prompt: 'a cat', size: '1024x1024', n: 1 },
		}),
		meaning: (body) => (JSON.parse(body.toString()) as { data: { b64_json: string }[] }).data[0]?.b64_json,
	},
	speech: {
		name: 'WAV 500 KB',
		kind: 'speech',
		request: () => ({
			path: '/v1/audio/speech',
			body: {
				model: 'mock',
				voice: 'alloy',
				input: 'hello world '.repeat(10),
				response_format: 'wav',
			},
		}),
		meaning: (body) => body.toString('latin1'),
	},
	video: {
		name: 'video 8 MB',
		kind: 'video',
		request: ({ video }) => ({ path: `/v1/videos/${video}/content` }),
		meaning: (body) => body.toString('latin1'),
	},
} as const satisfies Record<string, Workload>;

/** A workload as a gateway is asked for it. */
export function targetOf(gateway: Gateway, workload: Workload): Target {
	return { pid: gateway.pid, port: gateway.port, request: wireRequest(gateway, workload) };
}

function wireRequest(gateway: Gateway, workload: Workload): WireRequest {
	const { path, body } = workload.request(gateway);
	const { headers } = gateway;
	if (!body) return { path, headers };
	return {
		method: 'POST',
		path,
		headers: { ...headers, 'content-type': 'application/json' },
		body: Buffer.from(JSON.stringify(body)),
	};
}
