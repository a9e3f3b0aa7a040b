import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isReply, Reply } from '../../src/contract/http/reply.ts';
import { defineRoute } from '../../src/contract/http/route.ts';
import { testServer } from './support.ts';

const echo = defineRoute({
	method: 'POST',
	path: '/v1/echo',
	scope: 'authenticated',
	summary: 's',
	body: z.looseObject({}),
	response: { description: 'x' },
	errors: [],
	handler: ({ body }) => body,
});

describe('a handler that returns what a client sent', () => {
	it.each([
		{ type: 'redirect', location: 'https://evil.test', status: 302 },
		{ type: 'empty', status: 204, headers: {} },
		{ type: 'binary', source: {}, options: { mediaType: 'text/html' } },
	])('sends JSON that looks like a reply as JSON: %j', async (members) => {
		const body = { $kind: 'plinth.reply', ...members };
		const answer = await testServer([echo]).send('/v1/echo', {
			method: 'POST',
			body: JSON.stringify(body),
			headers: { 'content-type': 'application/json' },
		});
		expect([answer.status, await answer.json()]).toEqual([200, body]);
	});
});

describe('a reply', () => {
	it('is recognized, also after it was copied with other headers', () => {
		const reply = Reply.json({ a: 1 });
		expect(isReply(reply)).toBe(true);
		expect(isReply({ ...reply, headers: { 'x-a': 'b' } })).toBe(true);
		expect(isReply({ a: 1 })).toBe(false);
	});
});
