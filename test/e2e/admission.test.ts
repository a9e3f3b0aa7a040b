import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeChat } from '../support/fake-chat.ts';
import { gate } from '../support/fake-models.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

const requestsPerTenant = 2;

let served: Served;
let held: ReturnType<typeof gate>;
/** One element per call of the model that waits for the gate. */
let waiting: AbortSignal[];

beforeEach(async () => {
	held = gate();
	waiting = [];
	served = await serveEmbedded({
		server: { limits: { requestsPerTenant, streamsPerTenant: 1 } },
		models: {
			'echo-1': fakeChat(),
			'held-1': fakeChat({ held: () => held.opened, signals: waiting }),
		},
	});
});

afterEach(async () => {
	held.open();
	await served.stop();
});

type FetchFn = (path: string, init?: RequestInit) => Promise<Response>;

const fetchFns: Readonly<Record<string, FetchFn>> = {
	'app.fetch': (path, init) => served.app.fetch(new Request(`http://plinth.test${path}`, init)),
	'the listener': (path, init) => fetch(`${served.url}${path}`, init),
};

const headers = { 'x-api-key': keyA, 'content-type': 'application/json' };

function chat(fetchFn: FetchFn, model: string, stream: boolean): Promise<Response> {
	const messages = [{ role: 'user', content: 'one two three' }];
	const body = JSON.stringify({ model, messages, stream });
	return fetchFn('/v1/chat/completions', { method: 'POST', headers, body });
}

/** Opens an event stream. A tenant may have one, so the previous one must have ended. */
async function opened(open: () => Promise<Response>): Promise<Response> {
	let response: Response | undefined;
	await eventually('the previous stream has ended', async () => {
		response = await open();
		if (response.status !== 429) return true;
		await response.text();
		return false;
	});
	expect(response?.headers.get('content-type')).toContain('text/event-stream');
	return response as Response;
}

/** Sends requests up to the limit of the tenant, and returns the status of one more. */
async function oneTooMany(fetchFn: FetchFn): Promise<number> {
	const first = Array.from({ length: requestsPerTenant }, () => chat(fetchFn, 'held-1', false));
	await eventually('all places are taken', () => waiting.length === requestsPerTenant);
	const more = chat(fetchFn, 'held-1', false);
	const more429 = more.then(({ status }) => status);
	// An additional request that is accepted also waits for the gate.
	await eventually('one more is refused or accepted', async () => {
		const settled = await Promise.race([more429, Promise.resolve(0)]);
		return settled !== 0 || waiting.length > requestsPerTenant;
	});
	held.open();
	const responses = await Promise.all([...first, more]);
	for (const response of responses.slice(0, -1)) expect(response.status).toBe(200);
	await Promise.all(responses.map((response) => response.text()));
	return more429;
}

const streams: readonly (readonly [string, (fetchFn: FetchFn) => Promise<void>])[] = [
	[
		'a response that is read to its end',
		async (fetchFn) => {
			const response = await opened(() => chat(fetchFn, 'echo-1', true));
			expect(await response.text()).toContain('[DONE]');
		},
	],
	[
		'a response that the client aborts',
		async (fetchFn) => {
			const response = await opened(() => chat(fetchFn, 'echo-1', true));
			await response.body?.cancel();
		},
	],
	[
		'an event feed that the client aborts',
		async (fetchFn) => {
			const response = await opened(() => fetchFn('/v1/events', { headers }));
			await response.body?.cancel();
		},
	],
];

describe.each(Object.entries(fetchFns))('through %s', (_, fetchFn) => {
	test.each(streams)('ended event streams do not raise the limit of requests: %s', async (_what, run) => {
		for (let count = 0; count < 4; count++) await run(fetchFn);
		expect(await oneTooMany(fetchFn)).toBe(429);
	});

	test('an open event stream does not raise the limit of requests', async () => {
		const open = await opened(() => fetchFn('/v1/events', { headers }));
		expect(await oneTooMany(fetchFn)).toBe(429);
		await open.body?.cancel();
	});
});
