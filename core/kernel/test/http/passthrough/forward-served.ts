import { request as nodeRequest } from 'node:http';
import type { ForwardRequest } from '../../../src/contract/ports/forward.ts';
import { auth, listening, request, type TestServer, type testServer } from '../support.ts';
import { forwarded, forwarding, type Script, type Upstream, upstream } from './forward-support.ts';

export const path = '/v1/chat/completions';
export const body = JSON.stringify({ model: 'small', messages: [] });
export const headers = {
	'content-type': 'application/json',
	'content-length': String(body.length),
};
export const post = { method: 'POST', headers, body } as const;
export const typed = { 'content-type': 'application/json' };
export const streamed = { 'content-type': 'text/event-stream' };
export const toClient = request(`POST ${path}`, { ...auth, ...headers }, body);

export interface Behind {
	readonly routes: Parameters<typeof testServer>[0];
	/** How often the end of a request was reported. */
	endCount: number;
}

/** A route that sends every request to an upstream. */
export function behind(
	to: Pick<Upstream, 'origin' | 'dispatcher'>,
	more: Partial<ForwardRequest> = {},
	route: Parameters<typeof forwarding>[1] = {},
): Behind {
	const kept: Behind = {
		endCount: 0,
		routes: [
			forwarding((raw, call) => {
				call.answeredBy('served');
				return call.forward(forwarded(to, raw, more), () => {
					kept.endCount += 1;
				});
			}, route),
		],
	};
	return kept;
}

export async function served(script: Script, more: Partial<ForwardRequest> = {}) {
	const to = await upstream(script);
	const kept = behind(to, more);
	const server = await listening(kept.routes);
	return { to, kept, ...server };
}

export function lineOf({ lines }: Pick<TestServer, 'lines'>): Record<string, unknown> | undefined {
	return lines.find(({ message }) => message === 'request')?.fields;
}

/** Reads a response with Node's client. Pauses after every chunk if `isSlow`. */
export function read(port: number, isSlow: boolean): Promise<{ head: object; bytes: Buffer }> {
	return new Promise((resolve, reject) => {
		const sent = nodeRequest({
			port,
			host: '127.0.0.1',
			path,
			method: 'POST',
			headers: { ...headers, ...auth },
			agent: false,
		});
		sent.on('error', reject);
		sent.on('response', (answer) => {
			const chunks: Buffer[] = [];
			answer.on('error', reject);
			answer.on('data', (chunk) => {
				chunks.push(chunk);
				if (!isSlow) return;
				answer.pause();
				setImmediate(() => setImmediate(() => answer.resume()));
			});
			answer.on('end', () => resolve({ head: answer.headers, bytes: Buffer.concat(chunks) }));
		});
		sent.end(body);
	});
}
