import { expect, test } from 'vitest';
import type { ForwardController, ForwardHandler } from '../../../src/contract/ports/forward.ts';
import { auth, listening, rawConnection, request } from '../support.ts';
import { forwarded, forwarding } from './forward-support.ts';

const body = JSON.stringify({ model: 'small' });
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
const toClient = request(
	'POST /v1/chat/completions',
	{ ...auth, ...headers, connection: 'close' },
	body,
);
const controller: ForwardController = { pause() {}, resume() {}, abort() {} };

/** What a client reads of a stream of events that comes in these pieces, each in a turn of its own. */
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
			call.forward(forwarded({ origin: 'http://upstream', dispatcher: { dispatch } }, raw)),
		),
	]);
	const raw = await rawConnection(port);
	await raw.write(toClient);
	await raw.closed;
	return raw.text;
}

/** The body of an answer in chunks (RFC 9112, §7.1). */
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

test.each(['data: {"error":{"message":"CUDA"}}\n\n', 'data:{"error":"CUDA"}\r\n\r\n'])(
	'what an upstream says of its failure reaches nobody, however it is cut: %j',
	async (failure) => {
		const good = 'data: {"a":1}\n\n';
		for (let at = 0; at < failure.indexOf('CUDA'); at += 1) {
			const text = await readOf([good, failure.slice(0, at), failure.slice(at)]);
			expect(text, `cut at ${at}`).toContain(good);
			expect(text, `cut at ${at}`).not.toMatch(/error|CUDA|\r\n0\r\n\r\n$/);
		}
	},
);

test('what only begins like a failure arrives whole, wherever it is cut', async () => {
	const stream = 'data: {"error_rate":1}\n\ndata: {"e":"{\\"error\\":1}"}\n\ndata: {"err';
	const whole = await readOf([stream]);
	expect(bodyOf(whole)).toBe(stream);
	for (let at = 0; at <= stream.length; at += 1) {
		const text = await readOf([stream.slice(0, at), stream.slice(at)]);
		expect(bodyOf(text), `cut at ${at}`).toBe(stream);
	}
});
