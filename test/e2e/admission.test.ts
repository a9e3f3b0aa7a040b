import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeChat } from '../support/fake-chat.ts';
import { gate } from '../support/fake-models.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

const requestsPerTenant = 2;

let served: Served;
let held: ReturnType<typeof gate>;
/** One for each call of the model that waits for the gate. */
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

type Door = (path: string, init?: RequestInit) => Promise<Response>;

const doors: Readonly<Record<string, Door>> = {
	'app.fetch': (path, init) => served.app.fetch(new Request(`http://plinth.test${path}`, init)),
	'the listener': (path, init) => fetch(`${served.url}${path}`, init),
};

const headers = { 'x-api-key': keyA, 'content-type': 'application/json' };

function chat(door: Door, model: string, stream: boolean): Promise<Response> {
	const messages = [{ role: 'user', content: 'one two three' }];
	const body = JSON.stringify({ model, messages, stream });
	return door('/v1/chat/completions', { method: 'POST', headers, body });
}

/** Opens an event stream. It has the only place of its tenant, so that the one before has been given up then. */
async function opened(open: () => Promise<Response>): Promise<Response> {
	let answer: Response | undefined;
	await eventually('the stream before has ended', async () => {
		answer = await open();
		if (answer.status !== 429) return true;
		await answer.text();
		return false;
	});
	expect(answer?.headers.get('content-type')).toContain('text/event-stream');
	return answer as Response;
}

/** Fills the places of the tenant with requests, and returns the status of one more. */
async function oneTooMany(door: Door): Promise<number> {
	const first = Array.from({ length: requestsPerTenant }, () => chat(door, 'held-1', false));
	await eventually('all places are taken', () => waiting.length === requestsPerTenant);
	const more = chat(door, 'held-1', false);
	const more429 = more.then(({ status }) => status);
	// One more that is taken waits for the gate as well.
	await eventually('one more is refused or taken', async () => {
		const settled = await Promise.race([more429, Promise.resolve(0)]);
		return settled !== 0 || waiting.length > requestsPerTenant;
	});
	held.open();
	const answers = await Promise.all([...first, more]);
	for (const answer of answers.slice(0, -1)) expect(answer.status).toBe(200);
	await Promise.all(answers.map((answer) => answer.text()));
	return more429;
}

const streams: readonly (readonly [string, (door: Door) => Promise<void>])[] = [
	[
		'an answer read to its end',
		async (door) => {
			const answer = await opened(() => chat(door, 'echo-1', true));
			expect(await answer.text()).toContain('[DONE]');
		},
	],
	[
		'an answer that the client leaves',
		async (door) => {
			const answer = await opened(() => chat(door, 'echo-1', true));
			await answer.body?.cancel();
		},
	],
	[
		'a feed that the client leaves',
		async (door) => {
			const answer = await opened(() => door('/v1/events', { headers }));
			await answer.body?.cancel();
		},
	],
];

describe.each(Object.entries(doors))('through %s', (_, door) => {
	test.each(streams)('event streams that have ended make no room for requests: %s', async (_what, run) => {
		for (let count = 0; count < 4; count++) await run(door);
		expect(await oneTooMany(door)).toBe(429);
	});

	test('an event stream that is open makes no room for requests', async () => {
		const open = await opened(() => door('/v1/events', { headers }));
		expect(await oneTooMany(door)).toBe(429);
		await open.body?.cancel();
	});
});
