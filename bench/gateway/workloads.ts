import type { Target, WireRequest } from '../harness/load.ts';
import type { Gateway } from './gateways.ts';
import type { Kind } from './plinth.config.ts';

/** A request that is sent to all gateways with the same body. */
export interface Workload {
	readonly name: string;
	readonly kind: Kind;
	/** The path and the body; without one it is a GET. */
	request(gateway: Gateway): { readonly path: string; readonly body?: object };
	/**
	 * The content of a response in a form that can be compared: a gateway that parses responses may write the same
	 * JSON differently. For other responses, the bytes.
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
	// OpenAI's current name. With the older `max_tokens` Plinth has to write the request anew.
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

/** The request of a workload, as it is sent to a gateway. */
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
