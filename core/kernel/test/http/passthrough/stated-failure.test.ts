import { expect, test } from 'vitest';
import type { ForwardController, ForwardHandler, ForwardRequest } from '../../../src/contract/ports/forward.ts';
import { auth, listening, rawConnection, request } from '../support.ts';
import { forwarded, forwarding } from './forward-support.ts';

const body = JSON.stringify({ model: 'small' });
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
const toClient = request('POST /v1/chat/completions', { ...auth, ...headers, connection: 'close' }, body);
const controller: ForwardController = { pause() {}, resume() {}, abort() {} };

/** Allows complete lines to be sent, unless one of them reports a failure of the upstream. */
const sendable: NonNullable<ForwardRequest['sendable']> = (pending) => {
	if (pending.includes('FAILED')) throw new Error('It failed.');
	return pending.lastIndexOf('\n') + 1;
};

/** Returns what a client reads of an event stream that arrives in these pieces, each in its own turn. */
async function readOf(pieces: readonly string[]): Promise<string> {
	const dispatch = (_: unknown, handler: ForwardHandler): boolean => {
		void send(handler);
		return true;
	};
	async function send(handler: ForwardHandler) {
		handler.onResponseStart(controller, 200, { 'content-type': 'text/event-stream' });
		for (const piece of pieces) {
			handler.onResponseData(controller, Buffer.from(piece));
			await new Promise((resolve) => setImmediate(resolve));
			await new Promise((resolve) => setImmediate(resolve));
		}
		handler.onResponseEnd(controller, {});
	}
	const { port } = await listening([
		forwarding((raw, call) =>
			call.forward(forwarded({ origin: 'http://upstream', dispatcher: { dispatch } }, raw, { sendable })),
		),
	]);
	const raw = await rawConnection(port);
	await raw.write(toClient);
	await raw.closed;
	return raw.text;
}

/** The body of a chunked response (RFC 9112, §7.1). */
function bodyOf(answer: string): string {
	let rest = answer.slice(answer.indexOf('\r\n\r\n') + 4);
	let body = '';
	for (;;) {
		const [line = ''] = rest.split('\r\n', 1);
		const length = Number.parseInt(line, 16);
		if (!(length > 0)) return body;
		const start = line.length + 2;
		body += rest.slice(start, start + length);
		rest = rest.slice(start + length + 2);
	}
}

test('a failure report of the upstream does not reach the client, for any split', async () => {
	const [good, failure] = ['data: 1\n\n', 'data: FAILED, CUDA\n\n'];
	for (let at = 0; at < failure.indexOf('CUDA'); at += 1) {
		const text = await readOf([good, failure.slice(0, at), failure.slice(at)]);
		expect(text, `cut at ${at}`).toContain(good);
		expect(text, `cut at ${at}`).not.toMatch(/FAILED|CUDA|\r\n0\r\n\r\n$/);
	}
});

test('held-back text is sent with the following text, or at the end', async () => {
	const stream = 'data: one\n\ndata: two\n\ndata: three';
	for (let at = 0; at <= stream.length; at += 1) {
		const text = await readOf([stream.slice(0, at), stream.slice(at)]);
		expect(bodyOf(text), `cut at ${at}`).toBe(stream);
	}
});
