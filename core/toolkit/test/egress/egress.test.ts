import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spelledHosts } from '../../../../test/support/private-hosts.ts';
import { isPublicAddress } from '../../src/egress/addresses.ts';
import { Egress, type EgressRequest } from '../../src/egress/egress.ts';
import { ForbiddenTarget } from '../../src/egress/guard.ts';

const bounds = { method: 'GET', timeoutMs: 5_000, maxBytes: 1_000 } as const;

/** A server whose response depends on the path. All loopback addresses reach it. */
let canary: Server;
let hits: string[] = [];
let port: number;

beforeAll(async () => {
	canary = createServer((request, response) => {
		const { url = '', headers } = request;
		hits.push(`${headers.host} ${url} ${headers.authorization ?? ''}`);
		const [, to] = /^\/to\/(.*)$/.exec(url) ?? [];
		if (to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) });
		const [, length] = /^\/long\/(\d+)$/.exec(url) ?? [];
		response.end(length === undefined ? 'hello' : 'x'.repeat(Number(length)));
	});
	await new Promise<void>((resolve) => canary.listen(0, '0.0.0.0', resolve));
	port = (canary.address() as AddressInfo).port;
});

afterAll(() => new Promise((resolve) => canary.close(resolve)));

/** Sends a request and returns what the canary received. */
async function receivedBy(egress: Egress, url: string, more: Partial<EgressRequest> = {}) {
	hits = [];
	const outcome = await egress.send({ ...bounds, url, ...more }).then(
		(answer) => answer,
		(error: Error) => error,
	);
	await egress.close();
	return { outcome, hits };
}

describe('spellings of private addresses', () => {
	it.each(spelledHosts)('%s is refused before a connection, and when it is stored', async (host) => {
		const egress = new Egress({ allowHttp: true });
		await expect(egress.check(`http://${host}:${port}/`, 'url')).rejects.toMatchObject({
			code: 'E_VALUE_INVALID',
			param: 'url',
		});
		const { outcome, hits } = await receivedBy(egress, `http://${host}:${port}/`);
		expect(outcome).toBeInstanceOf(Error);
		expect(hits).toEqual([]);
	});

	it('do not include public addresses', () => {
		for (const address of ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8']) {
			expect(isPublicAddress(address)).toBe(true);
		}
	});

	it('do not include invalid addresses', () => {
		for (const text of ['', 'example.com', 'fe80::1%lo', '8.8.8']) {
			expect(isPublicAddress(text)).toBe(text === '8.8.8');
		}
	});
});

describe('the resolver', () => {
	const isAllowed = (address: string) => address === '127.0.0.2' || isPublicAddress(address);
	const v4 = (address: string) => ({ address, family: 4 });

	it('is called once per connection, so that a second result cannot change the address', async () => {
		let lookups = 0;
		const resolve = async () => [v4(lookups++ === 0 ? '127.0.0.2' : '127.0.0.1')];
		const egress = new Egress({ allowHttp: true, isAllowed, resolve });
		const { outcome, hits } = await receivedBy(egress, `http://rebinding.example:${port}/`);
		expect(outcome).toMatchObject({ status: 200 });
		expect(lookups).toBe(1);
		expect(hits).toHaveLength(1);
	});

	it('refuses a host with one private address among public ones', async () => {
		const resolve = async () => [v4('127.0.0.2'), v4('127.0.0.1')];
		const egress = new Egress({ allowHttp: true, isAllowed, resolve });
		const { outcome, hits } = await receivedBy(egress, `http://mixed.example:${port}/`);
		expect(outcome).toBeInstanceOf(ForbiddenTarget);
		expect(hits).toEqual([]);
	});

	it.each([
		['2606:4700::1111%eth0', 6],
		['::ffff:8.8.8.8%1', 6],
		['fe80::1%lo', 6],
	])('refuses an address within a zone: %s', async (address, family) => {
		expect(isPublicAddress(address)).toBe(false);
		const egress = new Egress({ resolve: async () => [{ address, family }] });
		await expect(egress.check('https://zone.example/', 'url')).rejects.toThrow('zone.example');
		await egress.close();
	});

	it('refuses a host without any address', async () => {
		const egress = new Egress({ resolve: async () => [] });
		await expect(egress.check('https://nothing.example/', 'url')).rejects.toThrow('nothing.example');
		await egress.close();
	});

	it('reports a name that cannot be resolved', async () => {
		const resolve = async () => Promise.reject(new Error('ENOTFOUND'));
		const egress = new Egress({ resolve });
		await expect(egress.check('https://gone.example/', 'url')).rejects.toThrow(
			'url: its host name cannot be resolved.',
		);
		await egress.close();
	});
});

describe('addresses', () => {
	it('may be of http if that is allowed, and an error then names both schemes', async () => {
		const egress = new Egress({ allowHttp: true, isAllowed: () => true });
		await egress.check('http://127.0.0.1/', 'url');
		await expect(egress.check('ftp://127.0.0.1/', 'url')).rejects.toMatchObject({
			param: 'url',
			message: 'url: only https and http addresses are allowed, such as https://example.com/.',
		});
		await egress.close();
	});

	it.each([
		['http://example.com/', 'only https'],
		['ftp://example.com/', 'only https addresses are allowed, such as https://example.com/'],
		['file:///etc/passwd', 'only https'],
		['javascript:alert(1)', 'only https'],
		['https://user:secret@example.com/', 'user name or a password'],
		['https://user@example.com/', 'user name or a password'],
		['https://:secret@example.com/', 'user name or a password'],
		['https://[fe80::1%25eth0]/', 'not a URL'],
		['example.com', 'not a URL'],
		['', 'not a URL'],
	])('%s is refused', async (url, reason) => {
		const egress = new Egress({ resolve: async () => [{ address: '8.8.8.8', family: 4 }] });
		await expect(egress.check(url, 'url')).rejects.toThrow(reason);
		await expect(egress.send({ ...bounds, url })).rejects.toThrow(reason);
		await egress.close();
	});
});

describe('redirects', () => {
	const egress = () => new Egress({ allowHttp: true, isAllowed: (address) => address === '127.0.0.2' });
	const via = (...hops: string[]) =>
		hops.reduceRight((target, hop) => `http://${hop}/to/${encodeURIComponent(target)}`);

	it('are returned as responses unless they are to be followed', async () => {
		const { outcome } = await receivedBy(egress(), via(`127.0.0.2:${port}`, 'https://example.com/'));
		expect(outcome).toMatchObject({ status: 302 });
	});

	it('are followed when each step is allowed, without the headers to another host', async () => {
		const target = `http://127.0.0.2:${port}/end`;
		const { outcome, hits } = await receivedBy(egress(), via(`127.0.0.2:${port}`, target), {
			redirects: 3,
			headers: { authorization: 'Bearer x' },
		});
		expect(outcome).toMatchObject({ status: 200, isTruncated: false });
		expect(hits.at(-1)).toBe(`127.0.0.2:${port} /end Bearer x`);
	});

	it.each([
		`http://127.0.0.1:PORT/end`,
		`http://0x7f.1:PORT/end`,
		'ftp://127.0.0.2/',
		'http://user@127.0.0.2:PORT/end',
		'http://:secret@127.0.0.2:PORT/end',
		'//127.0.0.1:PORT/end',
		'http://[::1]:PORT/end',
	])('to %s are refused', async (to) => {
		const target = to.replace('PORT', String(port));
		const { outcome, hits } = await receivedBy(egress(), via(`127.0.0.2:${port}`, target), {
			redirects: 3,
		});
		expect(outcome).toBeInstanceOf(Error);
		expect(hits).toHaveLength(1);
	});

	it('end after the allowed number', async () => {
		const hop = `127.0.0.2:${port}`;
		const { outcome, hits } = await receivedBy(egress(), via(hop, hop, hop, `http://${hop}/end`), {
			redirects: 2,
		});
		expect(outcome).toBeInstanceOf(Error);
		expect(hits).toHaveLength(3);
	});

	it('of a POST are not followed', async () => {
		const { outcome } = await receivedBy(egress(), via(`127.0.0.2:${port}`, `http://127.0.0.2:${port}/`), {
			method: 'POST',
			body: '{}',
			redirects: 3,
		});
		expect(outcome).toMatchObject({ status: 302 });
	});
});

describe('bounds', () => {
	const isAllowed = () => true;

	it.each([
		[1_000, false],
		[1_001, true],
		[100_000, true],
	])('returns 1,000 bytes at most of a body of %i', async (length, isTruncated) => {
		const egress = new Egress({ allowHttp: true, isAllowed });
		const { outcome } = await receivedBy(egress, `http://127.0.0.1:${port}/long/${length}`);
		expect(outcome).toMatchObject({ isTruncated, body: Buffer.alloc(1_000, 'x') });
	});

	it.each([
		['without a signal', undefined],
		['with a signal', new AbortController().signal],
	])('ends after its time limit %s, for any behaviour of the server', async (_how, signal) => {
		const silent = createServer(() => {});
		await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
		const { port: closed } = silent.address() as AddressInfo;
		const egress = new Egress({ allowHttp: true, isAllowed });
		const { outcome } = await receivedBy(egress, `http://127.0.0.1:${closed}/`, {
			timeoutMs: 50,
			...(signal ? { signal } : {}),
		});
		expect(outcome).toMatchObject({ name: 'TimeoutError' });
		silent.closeAllConnections();
		await new Promise((resolve) => silent.close(resolve));
	});

	it('lets many requests to one host run at the same time', async () => {
		const held: ServerResponse[] = [];
		const slow = createServer((_, response) => void held.push(response));
		await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
		const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
		const egress = new Egress({ allowHttp: true, isAllowed });
		const answers = Array.from({ length: 32 }, () => egress.send({ ...bounds, url }));
		await eventually('all have arrived', () => held.length === 32);
		for (const response of held) response.end();
		expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true);
		await egress.close();
		await new Promise((resolve) => slow.close(resolve));
	});

	it('sends nothing after it is closed, also without an earlier request', async () => {
		const egress = new Egress({ allowHttp: true, isAllowed });
		await egress.close();
		const { outcome, hits } = await receivedBy(egress, `http://127.0.0.1:${port}/`);
		expect(outcome).toMatchObject({ message: 'The egress is closed.' });
		expect(hits).toEqual([]);
	});

	it('ends with its signal', async () => {
		const egress = new Egress({ allowHttp: true, isAllowed });
		const { outcome } = await receivedBy(egress, `http://127.0.0.1:${port}/`, {
			signal: AbortSignal.abort(new Error('stopped')),
		});
		expect(outcome).toMatchObject({ message: 'stopped' });
	});
});
