import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { plinthError } from '../../../src/contract/errors/coded-error.ts';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { authFailures } from '../../../src/http/gate/auth-failures.ts';
import { auth, errorOf, eventually, goodKey, listening, rawConnection, request, testServer } from '../support.ts';

const routes = [
	defineRoute({
		method: 'POST',
		path: '/v1/things',
		scope: 'authenticated',
		summary: 's',
		response: { description: 'ok' },
		errors: [],
		handler: () => 1,
	}),
];

const wrong = { 'x-api-key': 'guess' };
const twenty = { authFailures: { perMinute: 20, trustedProxies: 0 } };
const behindOne = { authFailures: { perMinute: 20, trustedProxies: 1 } };

afterEach(() => {
	vi.useRealTimers();
});

/** Sends POSTs one after the other, and returns their statuses. */
async function statuses(
	url: string,
	count: number,
	headersOf: (index: number) => Record<string, string> = () => wrong,
): Promise<number[]> {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) {
		const answer = await fetch(`${url}/v1/things`, { method: 'POST', headers: headersOf(index) });
		await answer.body?.cancel();
		seen.push(answer.status);
	}
	return seen;
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status);

describe('wrong keys', () => {
	it('from one address are refused with 429 from the 21st per minute', async () => {
		const { url } = await listening(routes, twenty);
		expect(await statuses(url, 25)).toEqual([...times(20, 401), ...times(5, 429)]);
	});

	it('get a 429 with the reason and Retry-After', async () => {
		const { url } = await listening(routes, twenty);
		await statuses(url, 20);
		const answer = await fetch(`${url}/v1/things`, { method: 'POST', headers: wrong });
		const seconds = Number(answer.headers.get('retry-after'));
		expect(seconds).toBeGreaterThanOrEqual(1);
		expect(seconds).toBeLessThanOrEqual(60);
		expect(answer.headers.get('x-should-retry')).toBe('false');
		expect(await errorOf(answer)).toMatchObject({
			status: 429,
			type: 'requests',
			code: 'rate_limit_exceeded',
			param: null,
		});
	});

	it('that are equal count like different ones', async () => {
		const { url } = await listening(routes, twenty);
		const guesses = (index: number) => ({ authorization: `Bearer guess-${index}` });
		expect(await statuses(url, 21, guesses)).toEqual([...times(20, 401), 429]);
	});

	it('count on every path', async () => {
		const { url } = await listening(routes, twenty);
		await statuses(url, 20);
		const answer = await fetch(`${url}/v1/nothing/here`, { headers: wrong });
		expect(answer.status).toBe(429);
	});

	it('are counted per minute', async () => {
		vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
		const { http } = testServer(routes, twenty);
		const status = async () =>
			(await http.fetch(new Request('http://x/v1/things', { method: 'POST', headers: wrong }))).status;
		for (let count = 0; count < 20; count++) expect(await status()).toBe(401);
		await vi.advanceTimersByTimeAsync(59_999);
		expect(await status()).toBe(429);
		await vi.advanceTimersByTimeAsync(1);
		expect(await status()).toBe(401);
	});

	it('are not limited when the limit is 0 or not set', async () => {
		const off = await listening(routes, { authFailures: { perMinute: 0, trustedProxies: 0 } });
		expect(await statuses(off.url, 30)).toEqual(times(30, 401));
		const unset = await listening(routes);
		expect(await statuses(unset.url, 30)).toEqual(times(30, 401));
	});

	it('are ignored on a public route', async () => {
		const { url } = await listening(routes, twenty);
		for (let count = 0; count < 30; count++) {
			expect((await fetch(`${url}/healthz`, { headers: wrong })).status).toBe(200);
		}
		expect(await statuses(url, 1)).toEqual([401]);
	});
});

describe('from an address that has sent too many wrong keys', () => {
	it('a valid key is accepted', async () => {
		const { url } = await listening(routes, twenty);
		expect((await statuses(url, 21)).at(-1)).toBe(429);
		expect(await statuses(url, 30, () => auth)).toEqual(times(30, 200));
	});

	it('a request without a key gets a 401 that asks for one', async () => {
		const { url } = await listening(routes, twenty);
		await statuses(url, 21);
		expect(await statuses(url, 1, () => ({}))).toEqual([401]);
	});

	it('an upload is refused before its body is read', async () => {
		const { url, port, http } = await listening(routes, twenty);
		await statuses(url, 20);
		const raw = await rawConnection(port);
		await raw.write(request('POST /v1/things', { 'content-length': '52428800', ...wrong }));
		expect(await raw.until(/rate_limit_exceeded[\s\S]*}$/)).toMatch(/^HTTP\/1.1 429 /);
		raw.socket.destroy();
		await eventually(() => http.pipeline.inFlight === 0);
	});

	it('a client that expects 100 Continue does not get it', async () => {
		const { url, port } = await listening(routes, twenty);
		await statuses(url, 20);
		const raw = await rawConnection(port);
		const headers = { expect: '100-continue', 'content-length': '52428800', ...wrong };
		await raw.write(request('POST /v1/things', headers));
		expect(await raw.until(/}$/)).toMatch(/^HTTP\/1.1 429 /);
		await raw.closed;
	});
});

describe('the count of wrong keys', () => {
	it('excludes requests without a key', async () => {
		const { url } = await listening(routes, twenty);
		expect(await statuses(url, 30, () => ({}))).toEqual(times(30, 401));
		expect(await statuses(url, 1)).toEqual([401]);
	});

	it('excludes failures of the authenticator', async () => {
		const authenticator = {
			authenticate: async (key: string) => {
				if (key === goodKey) throw plinthError('E_STORE_UNAVAILABLE');
				return null;
			},
		};
		const { url } = await listening(routes, { ...twenty, authenticator });
		expect(await statuses(url, 30, () => auth)).toEqual(times(30, 503));
		expect(await statuses(url, 1)).toEqual([401]);
	});

	it('includes headers that are malformed, repeated or contradictory', async () => {
		const { url } = await listening(routes, twenty);
		const shapes: readonly Record<string, string>[] = [
			{ authorization: 'Basic abc' },
			{ authorization: 'Bearer' },
			{ ...auth, 'x-api-key': 'other' },
			{ 'x-api-key': 'a,b' },
		];
		expect(await statuses(url, 21, (index) => shapes[index % 4] ?? {})).toEqual([...times(20, 401), 429]);
	});
});

describe('addresses', () => {
	it.each([
		['IPv4 addresses', '198.51.100.7', '198.51.100.7', (index: number) => `198.51.100.${index + 8}`],
		[
			'the /64 of IPv6 addresses',
			'2001:db8:1:2::1',
			'2001:db8:1:2:ffff::9',
			(index: number) => `2001:db8:2:${index}::1`,
		],
	])('are counted separately: %s', async (_what, first, same, other) => {
		const { url } = await listening(routes, behindOne);
		const from = (address: string) => ({ ...wrong, 'x-forwarded-for': address });
		expect((await statuses(url, 21, () => from(first))).at(-1)).toBe(429);
		expect(await statuses(url, 1, () => from(same))).toEqual([429]);
		const others = await statuses(url, 20, (index) => from(other(index)));
		// One of them may share the count of the first one.
		expect(others.filter((status) => status === 401).length).toBeGreaterThanOrEqual(19);
	});

	it('cannot be forged in front of a trusted proxy', async () => {
		const { url } = await listening(routes, behindOne);
		const forgedHeaders = (index: number) => ({
			...wrong,
			'x-forwarded-for': `203.0.113.${index}, 198.51.100.7`,
		});
		expect((await statuses(url, 21, forgedHeaders)).at(-1)).toBe(429);
	});

	it('cannot be forged when no proxy is trusted', async () => {
		const { url } = await listening(routes, twenty);
		const forgedHeaders = (index: number) => ({ ...wrong, 'x-forwarded-for': `203.0.113.${index}` });
		expect((await statuses(url, 21, forgedHeaders)).at(-1)).toBe(429);
	});

	it('that are unknown share one count', async () => {
		const { http } = testServer(routes, twenty);
		const send = (headers: Record<string, string>) =>
			http.fetch(new Request('http://x/v1/things', { method: 'POST', headers }));
		for (let count = 0; count < 20; count++) expect((await send(wrong)).status).toBe(401);
		expect((await send(wrong)).status).toBe(429);
		expect((await send(auth)).status).toBe(200);
	});

	it('are counted in bounded memory', async () => {
		const count = authFailures({ perMinute: 1, trustedProxies: 0 });
		let allowed = 0;
		for (let index = 0; index < 40_000; index++) {
			const remoteAddress = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
			const from = { headers: {}, socket: { remoteAddress } } as unknown as IncomingMessage;
			const counted = count(from, plinthError('E_KEY_INVALID'));
			allowed += await counted.then(
				() => 1,
				() => 0,
			);
		}
		// With a counter for each address, every first failure would be allowed.
		expect(allowed).toBeGreaterThan(10_000);
		expect(allowed).toBeLessThanOrEqual(16_384);
	}, 60_000);
});
