import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../src/contract/http/route.ts';
import { fileField } from '../../src/contract/http/upload.ts';
import { httpLimits } from '../../src/http/limits.ts';
import { auth, eventually, listening, privateTemp, rawConnection, request, testServer } from './support.ts';

const common = {
	method: 'POST',
	scope: 'authenticated',
	summary: 's',
	response: { description: 'x' },
	errors: [],
} as const;
const json = defineRoute({
	...common,
	path: '/v1/json',
	body: z.looseObject({}),
	handler: () => 'read',
});
const form = defineRoute({
	...common,
	path: '/v1/form',
	encoding: 'multipart',
	body: z.object({ file: fileField() }),
	handler: ({ body }) => body.file.size,
});

const jsonHead = { ...auth, 'content-type': 'application/json', 'content-length': '1000000' };
const formHead = {
	...auth,
	'content-type': 'multipart/form-data; boundary=b',
	'content-length': '10000000',
};
const opening = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n';

async function startRequest(line: string, head: Readonly<Record<string, string>>, body: string) {
	const server = await listening([json, form]);
	const raw = await rawConnection(server.port);
	await raw.write(request(line, head, body));
	await eventually(() => server.http.pipeline.inFlight === 1);
	return { ...server, raw };
}

describe('a body that arrives too slowly', () => {
	it.each([
		['JSON', 'POST /v1/json', jsonHead, '{"text":"'],
		['a form', 'POST /v1/form', formHead, opening],
	])('ends the request with 408: %s', async (_, line, head, body) => {
		const tempFiles = await privateTemp();
		const { raw, clock, http } = await startRequest(line, head, body);
		await clock.advance(httpLimits.paceMs);
		expect(await raw.until(/"code":"request_timeout"/)).toMatch(/^HTTP\/1\.1 408 /);
		await clock.advance(httpLimits.errorGraceMs);
		await raw.closed;
		await http.pipeline.drained();
		expect(await tempFiles()).toEqual([]);
	});

	it('closes the connection, also when the body is short', async () => {
		const { raw, clock } = await startRequest('POST /v1/json', { ...jsonHead, 'content-length': '100' }, '{"text":"');
		await clock.advance(httpLimits.paceMs);
		expect(await raw.until(/"code":"request_timeout"/)).toMatch(/\r\nconnection: close\r\n/i);
		await clock.advance(httpLimits.errorGraceMs);
		await raw.closed;
	});

	it('is awaited while each window has enough bytes', async () => {
		const { http, clock, lines } = testServer([json]);
		let socket: Socket | undefined;
		const host = createServer((req, res) => {
			socket = req.socket;
			http.callback()(req, res);
		});
		onTestFinished(() => void host.close());
		await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
		const raw = await rawConnection((host.address() as AddressInfo).port);
		await raw.write(request('POST /v1/json', jsonHead, '{"text":"'));
		await eventually(() => http.pipeline.inFlight === 1);
		const piece = 'x'.repeat(httpLimits.paceBytes);
		let sent = 9;
		while (sent + piece.length < 999_998) {
			const before = socket?.bytesRead ?? 0;
			await raw.write(piece);
			sent += piece.length;
			await eventually(() => (socket?.bytesRead ?? 0) >= before + piece.length);
			await clock.advance(httpLimits.paceMs);
		}
		await raw.write(`${'x'.repeat(999_998 - sent)}"}`);
		expect(await raw.until(/"read"/)).toMatch(/^HTTP\/1\.1 200 /);
		expect(lines.map(({ fields }) => fields.status)).toEqual([200]);
	});

	it('has no time limit after it has been read', async () => {
		let release = (_: unknown) => {};
		const waits = defineRoute({
			...json,
			handler: () =>
				new Promise((resolve) => {
					release = resolve;
				}),
		});
		const { port, clock, http } = await listening([waits]);
		const raw = await rawConnection(port);
		const head = { ...auth, 'content-type': 'application/json', 'content-length': '2' };
		await raw.write(request('POST /v1/json', head, '{}'));
		await eventually(() => http.pipeline.inFlight === 1);
		await clock.advance(httpLimits.paceMs * 5);
		release('late');
		expect(await raw.until(/"late"/)).toMatch(/^HTTP\/1\.1 200 /);
	});
});
