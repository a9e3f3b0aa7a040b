import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from './support.ts';

const channel = 'http.server.response.finish';

// Two make Node keep an array for each request; see `Exchange`.
test('no event of an ended response has a second listener', async () => {
	const counts: Record<string, number>[] = [];
	const count = (message: unknown) => {
		const { response } = message as { response: ServerResponse };
		const names = response.eventNames();
		counts.push(Object.fromEntries(names.map((name) => [name, response.listenerCount(name)])));
	};
	subscribe(channel, count);
	onTestFinished(() => void unsubscribe(channel, count));
	const { url, http } = await listening([]);
	expect((await fetch(`${url}/healthz`)).status).toBe(200);
	expect((await fetch(`${url}/v1/none`, { method: 'POST', body: '{}' })).status).toBe(401);
	await http.pipeline.drained();
	expect(counts).toEqual([
		{ finish: 1, error: 1, close: 1 },
		{ finish: 1, error: 1, close: 1 },
	]);
});
