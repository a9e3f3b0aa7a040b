import { expect } from 'vitest';
import { failure, type RawClient } from '../../../test/support/client.ts';
import { tinyMp4 } from '../../../test/support/fake-models.ts';
import { pngSize, rawPng } from '../../../test/support/png.ts';
import { ownPage, type RunningHost } from './hosts.ts';

/** The context of a request of the suite. */
export interface Visit {
	readonly host: RunningHost;
	/** A client that sends an API key. */
	readonly client: RawClient;
	/** Sends without an API key. */
	readonly stranger: (path: string, init?: RequestInit) => Promise<Response>;
	/** The abort signals of the model `slow-1`, in call order. It emits one word, then waits until it is aborted. */
	readonly chats: readonly AbortSignal[];
}

const json = { 'content-type': 'application/json' };
const drawing = { model: 'paint-1', prompt: 'a door', size: '1024x1024' };
const chat = (text: string, stream: boolean, model = 'echo-1') => ({
	model,
	stream,
	messages: [{ role: 'user', content: text }],
});

/** The members of response bodies that the suite reads. */
interface Wire {
	readonly id: string;
	readonly bytes: number;
	readonly choices: readonly { readonly message: { readonly content: string } }[];
	readonly data: readonly { readonly url: string; readonly b64_json: string }[];
	readonly servers: unknown;
}

async function bodyOf(answer: Response): Promise<Wire> {
	return (await answer.json()) as Wire;
}

/** Creates a video, and waits until it is completed. */
async function video({ client }: Visit): Promise<string> {
	const { id } = await client.create({ model: 'instant-1', prompt: 'a host' });
	await client.finished(id);
	return `/v1/videos/${id}`;
}

/**
 * The requests that each host must support. Each throws unless the response is the one that Plinth alone would send.
 */
export const requests: Readonly<Record<string, (visit: Visit) => Promise<void>>> = {
	'JSON in, JSON out': async ({ client }) => {
		const answer = await client.post('/v1/chat/completions', chat('good morning', false));
		expect((await bodyOf(answer)).choices[0]?.message.content).toBe('good morning');
	},
	'JSON without a length': async ({ client }) => {
		const body = new Blob([JSON.stringify(chat('in pieces', false))]).stream();
		const init = { method: 'POST', headers: json, body, duplex: 'half' };
		const answer = await client.send('/v1/chat/completions', init as RequestInit);
		expect((await bodyOf(answer)).choices[0]?.message.content).toBe('in pieces');
	},
	'a form with a file': async ({ client }) => {
		const body = new FormData();
		for (const [name, value] of Object.entries(drawing)) body.set(name, value);
		body.set('image', new Blob([rawPng(160, 120)]));
		const answer = await client.send('/v1/images/edits', { method: 'POST', body });
		const { data } = await bodyOf(answer);
		expect(pngSize(Buffer.from(data[0]?.b64_json ?? '', 'base64'))).toEqual({
			width: 1024,
			height: 1024,
		});
	},
	'an upload of 2 MiB': async ({ client }) => {
		const body = new FormData();
		body.set('purpose', 'user_data');
		body.set('file', new Blob([Buffer.alloc(2_097_152, 7)]), 'sevens.bin');
		const answer = await client.send('/v1/files', { method: 'POST', body });
		const file = await bodyOf(answer);
		expect([answer.status, file.bytes]).toEqual([200, 2_097_152]);
		const content = await client.bytes(`/v1/files/${file.id}/content`);
		expect(content.every((byte) => byte === 7)).toBe(true);
	},
	'a download': async (visit) => {
		expect(await visit.client.bytes(`${await video(visit)}/content`)).toEqual(tinyMp4);
	},
	'a part of a download': async (visit) => {
		const headers = { range: 'bytes=4-7' };
		const answer = await visit.client.send(`${await video(visit)}/content`, { headers });
		expect([answer.status, answer.headers.get('content-range'), await answer.text()]).toEqual([
			206,
			`bytes 4-7/${tinyMp4.length}`,
			'ftyp',
		]);
	},
	HEAD: async (visit) => {
		const answer = await visit.client.send(`${await video(visit)}/content`, { method: 'HEAD' });
		const length = answer.headers.get('content-length');
		expect([answer.status, length, await answer.text()]).toEqual([200, `${tinyMp4.length}`, '']);
	},
	'DELETE, and then 404': async (visit) => {
		const path = await video(visit);
		const deleted = await visit.client.send(path, { method: 'DELETE' });
		const gone = await visit.client.send(path);
		expect([deleted.status, gone.status]).toEqual([200, 404]);
	},
	'a page of a list': async (visit) => {
		await video(visit);
		const page = await visit.client.json<{ data: unknown[] }>('/v1/videos?limit=1&order=asc');
		expect(page.data).toHaveLength(1);
	},
	'events as they come': async ({ client }) => {
		const answer = await client.post('/v1/chat/completions', chat('one two three', true));
		const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('data: '));
		expect(answer.headers.get('content-type')).toMatch('text/event-stream');
		expect(lines.length).toBeGreaterThan(3);
		expect(lines.at(-1)).toBe('data: [DONE]');
	},
	'a client that disconnects': async ({ client, chats }) => {
		const controller = new AbortController();
		const before = chats.length;
		const answer = await client.send('/v1/chat/completions', {
			method: 'POST',
			headers: json,
			body: JSON.stringify(chat('hold on', true, 'slow-1')),
			signal: controller.signal,
		});
		await answer.body?.getReader().read();
		const signal = chats[before] as AbortSignal;
		const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
		controller.abort();
		await aborted;
	},
	'speech while it is generated': async ({ client }) => {
		const answer = await client.post('/v1/audio/speech', {
			model: 'builtin-speech',
			voice: 'nova',
			input: 'Hello from inside.',
			response_format: 'pcm',
		});
		expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(24_000);
	},
	'a picture by its URL': async ({ host, client }) => {
		const fields = { ...drawing, response_format: 'url' };
		const { data } = await bodyOf(await client.post('/v1/images/generations', fields));
		const url = data[0]?.url ?? '';
		expect(url).toMatch(`${host.url}/v1/images/results/`);
		const picture = await host.fetch(new Request(url));
		expect(pngSize(Buffer.from(await picture.arrayBuffer()))).toEqual({
			width: 1024,
			height: 1024,
		});
	},
	'the OpenAPI document, with the URL of the mount': async ({ host, stranger }) => {
		const { servers } = await bodyOf(await stranger('/openapi.json?from=test'));
		expect(servers).toEqual([{ url: host.url }]);
	},
	readiness: async ({ stranger }) => {
		expect((await stranger('/readyz')).status).toBe(200);
	},
	'no key': async ({ stranger }) => {
		const answer = await stranger('/v1/videos', { method: 'POST', headers: json, body: '{}' });
		expect([answer.status, (await failure(answer)).type]).toEqual([401, 'invalid_request_error']);
	},
	'an unknown path': async ({ client }) => {
		const answer = await client.send('/v1/nonsense');
		expect([answer.status, answer.headers.get('x-request-id')]).toEqual([404, expect.stringMatching(/^req_/)]);
	},
	'an unknown method': async ({ client }) => {
		const answer = await client.send('/v1/models', { method: 'PUT' });
		expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
	},
	'invalid JSON': async ({ client }) => {
		const init = { method: 'POST', headers: json, body: '{"model": ' };
		const answer = await client.send('/v1/chat/completions', init);
		expect([answer.status, (await failure(answer)).code]).toEqual([400, 'invalid_body']);
	},
	'JSON beyond the limit': async ({ host, client }) => {
		const body = JSON.stringify({ model: 'builtin-speech', input: 'a'.repeat(1_100_000) });
		const answer = await client.send('/v1/audio/speech', { method: 'POST', headers: json, body });
		expect([answer.status, (await failure(answer)).code]).toEqual([413, 'request_too_large']);
		// The request body is left unread, so the connection must not be reused.
		expect(answer.headers.get('connection')).toBe(host.close ? 'close' : null);
	},
	'a body of another type': async ({ client }) => {
		const headers = { 'content-type': 'text/csv' };
		const answer = await client.send('/v1/videos', { method: 'POST', headers, body: 'a,b' });
		expect([answer.status, (await failure(answer)).param]).toEqual([415, null]);
	},
	'a page of the host below the mount': async ({ stranger }) => {
		expect(await (await stranger('/own')).text()).toBe(ownPage);
	},
	'a page of the host under a path like ours': async ({ host }) => {
		const url = new URL('/v1/own', host.url);
		expect(await (await host.fetch(new Request(url))).text()).toBe(ownPage);
	},
	'what neither has': async ({ stranger }) => {
		const answer = await stranger('/nothing');
		expect([answer.status, answer.headers.get('x-request-id')]).toEqual([404, null]);
	},
};
