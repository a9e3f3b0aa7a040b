import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requests, type Visit } from '../../adapters/hosts/test/requests.ts';
import { rawClient } from '../support/client.ts';
import { type EventStream, readEvents } from '../support/event-stream.ts';
import { pngSize } from '../support/png.ts';
import { type BuiltExample, buildExample, type ExampleServer, startExample } from './support/frameworks.ts';

const session = 'a-session-of-ada';
const headers = { authorization: `Bearer ${session}` };
const asked = {
	model: 'builtin-chat',
	messages: [{ role: 'user' as const, content: 'Good morning.' }],
};
const boat = {
	...{ model: 'builtin-video' as never, prompt: 'a red boat' },
	...{ seconds: '2' as never, size: '640x480' as never },
};

/** The requests of the suite of hosts that need built-in models only. */
const carried = [
	'an upload of 2 MiB',
	'speech while it is generated',
	'the OpenAPI document, with the URL of the mount',
	'readiness',
	'an unknown path',
	'an unknown method',
	'invalid JSON',
	'a body of another type',
];

/** The differences between the frameworks. */
interface Framework {
	/** The folder of its example. */
	readonly name: string;
	/** The host name in the URLs that it generates. */
	readonly hostname: string;
	/** The response below `/ai` for an unknown path. */
	readonly nothing: object;
	/** Whether content lengths of responses reach the client. */
	readonly sendsLengths: boolean;
	/** Checks a page of the host with additional functions. */
	readonly checkPage: (url: string) => Promise<void>;
}

const frameworks: readonly Framework[] = [
	{
		name: 'nestjs',
		hostname: '127.0.0.1',
		nothing: { message: 'Cannot GET /ai/nothing', error: 'Not Found', statusCode: 404 },
		sendsLengths: true,
		checkPage: async (url) => {
			const responses = [await fetch(`${url}/me`, { headers }), await fetch(`${url}/me`)];
			expect(responses.map(({ status }) => status)).toEqual([200, 401]);
		},
	},
	{
		name: 'nextjs',
		hostname: 'localhost',
		nothing: { error: expect.objectContaining({ type: 'invalid_request_error' }) },
		sendsLengths: false,
		checkPage: async (url) => {
			const page = await (await fetch(`${url}/?prompt=a+red+boat`)).text();
			const [, base64 = ''] = /src="data:image\/png;base64,([^"]+)"/.exec(page) ?? [];
			expect(pngSize(Buffer.from(base64, 'base64'))).toEqual({ width: 256, height: 256 });
		},
	},
];

const examples = new Map<string, BuiltExample>();

beforeAll(async () => {
	const built = frameworks.map(async ({ name }) => examples.set(name, await buildExample(name)));
	await Promise.all(built);
}, 180_000);

describe.each(frameworks)('the example $name', (framework) => {
	let server: ExampleServer;
	let url: string;
	let client: OpenAI;

	beforeAll(async () => {
		server = await startExample(exampleOf(framework));
		url = server.url.replace('127.0.0.1', framework.hostname);
		client = new OpenAI({ baseURL: `${url}/ai/v1`, apiKey: session, maxRetries: 0 });
	});

	afterAll(async () => {
		await server?.stop();
	});

	test('serves its own pages', async () => {
		expect(await (await fetch(url)).text()).toContain('my own page');
		await framework.checkPage(url);
	});

	test('answers the OpenAI SDK', async () => {
		const { choices } = await client.chat.completions.create(asked);
		expect(choices[0]?.message.content).toMatch(/builtin-chat/);
	});

	test('streams to the OpenAI SDK until the end', async () => {
		const chunks: OpenAI.ChatCompletionChunk[] = [];
		for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
			chunks.push(chunk);
		}
		expect(chunks.length).toBeGreaterThan(3);
		expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
	});

	test('sends events while a response runs, and notices when the client disconnects', async () => {
		const stream = await eventsAt(url);
		expect(stream.isOver).toBe(false);
		stream.close();
		await server.hasPrinted(/"route":"\/v1\/events".*"status":499/);
		expect((await fetch(`${url}/ai/readyz`)).status).toBe(200);
	});

	test('serves a video, a range of it, and its head', async () => {
		const { id } = await client.videos.create(boat);
		await rawClient(`${url}/ai`, session, signedIn).finished(id);
		const bytes = Buffer.from(await (await client.videos.downloadContent(id)).arrayBuffer());
		expect(bytes.subarray(4, 8).toString()).toBe('ftyp');

		const content = `${url}/ai/v1/videos/${id}/content`;
		const part = await fetch(content, { headers: { ...headers, range: 'bytes=1000-1999' } });
		const range = `bytes 1000-1999/${bytes.length}`;
		expect([part.status, part.headers.get('content-range')]).toEqual([206, range]);
		expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(1000, 2000));

		const head = await fetch(content, { headers, method: 'HEAD' });
		const length = framework.sendsLengths ? `${bytes.length}` : null;
		expect([head.status, head.headers.get('content-length')]).toEqual([200, length]);
	});

	test.each(carried)('passes the request of the host suite: %s', async (name) => {
		const visit: Visit = {
			host: { url: `${url}/ai`, fetch: fetch },
			client: rawClient(`${url}/ai`, session, signedIn),
			stranger: (path, init) => fetch(`${url}/ai${path}`, init),
			chats: [],
		};
		await requests[name]?.(visit);
	});

	test('refuses a request without a valid session', async () => {
		const response = await fetch(`${url}/ai/v1/models`, { headers: { authorization: 'Bearer x' } });
		const message = expect.stringMatching(/^The caller is not authenticated/);
		expect([response.status, await response.json()]).toEqual([
			401,
			{ error: { message, type: 'invalid_request_error', param: null, code: null } },
		]);
	});

	test('answers an unknown path below the mount as documented', async () => {
		const response = await fetch(`${url}/ai/nothing`);
		expect([response.status, await response.json()]).toEqual([404, framework.nothing]);
	});

	test('ends on SIGTERM with its streams, jobs, stores and port', async () => {
		const stream = await eventsAt(url);
		await client.videos.create(boat);
		await stream.until('job.started');
		expect(await server.stop()).toBe(0);
		await server.hasPrinted(/"end":"completed"/);
		await stream.over();
		expect(stream.frames.at(-1)?.data.data).toEqual({ reason: 'stopping' });
		expect(await fetch(url).catch((error) => error.cause.code)).toBe('ECONNREFUSED');
		// Closing the last connection of a database deletes its write-ahead log.
		const { folder } = exampleOf(framework);
		const files = ['plinth.db', 'plinth.db-wal'].map((file) => join(folder, '.plinth', file));
		expect(files.map((file) => existsSync(file))).toEqual([true, false]);
	});
});

function exampleOf({ name }: Framework): BuiltExample {
	return examples.get(name) as BuiltExample;
}

/**
 * Opens an event stream of Ada's team, and resolves once it has begun. Its connection closes with it, because the host
 * waits for keep-alive connections when it stops.
 */
async function eventsAt(url: string): Promise<EventStream> {
	const request = get(`${url}/ai/v1/events`, { headers, agent: false });
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	const body = Readable.toWeb(response) as ReadableStream<Uint8Array>;
	const stream = readEvents(new Response(body), () => request.destroy());
	await stream.until('stream.ready');
	return stream;
}

/** Sends the session instead of an API key. */
function signedIn(request: Request): Promise<Response> {
	request.headers.set('authorization', headers.authorization);
	return fetch(request);
}
