import { describe, expect, it } from 'vitest';
import { plinthError } from '../../../src/contract/errors/coded-error.ts';
import { Reply, type ServerEvent } from '../../../src/contract/http/reply.ts';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { frame } from '../../../src/http/answers/sse.ts';
import { auth, eventually, listening, rawConnection, request, testServer } from '../support.ts';

function streamRoute(events: (signal: AbortSignal) => AsyncIterable<ServerEvent>) {
	return defineRoute({
		method: 'GET',
		path: '/v1/events',
		scope: 'authenticated',
		summary: 's',
		response: { description: 'x', mediaTypes: ['text/event-stream'] },
		errors: [],
		handler: (_, { signal }) => Reply.events(events(signal), { 'x-extra': '1' }),
	});
}

describe('an event stream', () => {
	it('sends each frame when it is yielded', async () => {
		const { send } = testServer([
			streamRoute(async function* () {
				yield { data: { a: 1 } };
				yield { event: 'named', id: '7', data: 'one\ntwo\r\nthree\rfour' };
				yield { data: '[DONE]' };
			}),
		]);
		const answer = await send('/v1/events');
		expect(Object.fromEntries(answer.headers)).toMatchObject({
			'content-type': 'text/event-stream',
			'cache-control': 'no-cache',
			'x-accel-buffering': 'no',
			'x-extra': '1',
		});
		expect(await answer.text()).toBe(
			'data: {"a":1}\n\nevent: named\nid: 7\ndata: one\ndata: two\ndata: three\ndata: four\n\ndata: [DONE]\n\n',
		);
	});

	it('cannot be split by line breaks in names and ids', () => {
		expect(frame({ event: 'a\n\ndata: x', id: '1\r2', data: undefined })).toBe(
			'event: a data: x\nid: 1 2\ndata: null\n\n',
		);
		expect(frame({ comment: 'a\n\ndata: x', data: null })).toBe(': a data: x\n\n');
	});

	it('sends a comment after every 15 seconds of silence, and ends with its source', async () => {
		let release = () => {};
		const { port, clock, http } = await listening([
			streamRoute(async function* () {
				yield { data: 1 };
				await new Promise<void>((resolve) => {
					release = resolve;
				});
				yield { data: 2 };
			}),
		]);
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/events', { ...auth, connection: 'close' }));
		await raw.until(/data: 1\n\n/);
		await clock.advance(14_999);
		expect(raw.text).not.toContain(': ping');
		await clock.advance(1);
		await raw.until(/: ping\n\n/);
		await clock.advance(15_000);
		await raw.until(/: ping\n\n[\s\S]*: ping\n\n/);
		release();
		await raw.closed;
		expect(raw.text).toMatch(/data: 2\n\n[\s\S]*0\r\n\r\n$/);
		await eventually(() => http.pipeline.inFlight === 0);
	});

	it('ends with an error frame of four keys when the source fails', async () => {
		const { send, lines } = testServer([
			streamRoute(async function* () {
				yield { data: 1 };
				throw plinthError('E_VALUE_UNSUPPORTED', { param: 'n', message: 'no' });
			}),
		]);
		const error = {
			message: 'no',
			type: 'invalid_request_error',
			param: 'n',
			code: 'unsupported_value',
		};
		expect(await (await send('/v1/events')).text()).toBe(
			`data: 1\n\nevent: error\ndata: ${JSON.stringify({ error })}\n\n`,
		);
		await eventually(() => lines.length === 2);
		expect(lines.map(({ level, fields }) => [level, fields.code])).toEqual([
			['debug', 'E_VALUE_UNSUPPORTED'],
			['info', 'E_VALUE_UNSUPPORTED'],
		]);
	});

	it('logs an unexpected error once and does not send its message', async () => {
		const { send, lines } = testServer([
			streamRoute(async function* () {
				yield { data: 1 };
				throw new Error('secret');
			}),
		]);
		const text = await (await send('/v1/events')).text();
		expect(text).toContain('"type":"server_error"');
		expect(text).not.toContain('secret');
		await eventually(() => lines.length === 2);
		expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
	});

	it('closes its source when the client disconnects, also while the source waits', async () => {
		let state = 'waiting';
		const { port, http, lines } = await listening([
			streamRoute(async function* (signal) {
				try {
					yield { data: 1 };
					await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
				} finally {
					state = 'returned';
				}
			}),
		]);
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/events', auth));
		await raw.until(/data: 1/);
		raw.socket.destroy();
		await eventually(() => state === 'returned' && http.pipeline.inFlight === 0);
		expect(lines.map(({ level, fields }) => [level, fields.status])).toEqual([['info', 499]]);
	});

	it('calls return on an iterator that is not a generator', async () => {
		let returned = 0;
		const { port } = await listening([
			streamRoute(() => ({
				[Symbol.asyncIterator]: () => ({
					next: () => new Promise(() => {}),
					return: async () => {
						returned++;
						return { done: true, value: undefined };
					},
				}),
			})),
		]);
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/events', auth));
		await raw.until(/event-stream/);
		raw.socket.destroy();
		await eventually(() => returned === 1);
	});

	it('tolerates a source that fails to clean up', async () => {
		const { send, http } = testServer([
			streamRoute(() => ({
				[Symbol.asyncIterator]: () => ({
					next: async () => ({ done: true, value: undefined }),
					return: () => Promise.reject(new Error('cannot clean up')),
				}),
			})),
		]);
		expect(await (await send('/v1/events')).text()).toBe('');
		await http.pipeline.drained();
	});

	it('ends with an error frame when the server stops and at its deadline', async () => {
		const forever = streamRoute(async function* () {
			yield { data: 1 };
			await new Promise(() => {});
		});
		for (const end of ['stop', 'deadline'] as const) {
			const { port, http, clock } = await listening([forever]);
			const raw = await rawConnection(port);
			await raw.write(request('GET /v1/events', auth));
			await raw.until(/data: 1/);
			if (end === 'stop') http.pipeline.abortAll();
			else await clock.advance(600_000);
			await raw.until(/event: error/);
			expect(raw.text).toContain(end === 'stop' ? '"code":"server_stopping"' : '"code":"deadline_exceeded"');
		}
	});

	it('is not started for HEAD', async () => {
		let started = false;
		const { send } = testServer([
			streamRoute(async function* () {
				started = true;
				yield { data: 1 };
			}),
		]);
		const answer = await send('/v1/events', { method: 'HEAD' });
		expect([answer.headers.get('content-type'), await answer.text(), started]).toEqual([
			'text/event-stream',
			'',
			false,
		]);
	});
});
