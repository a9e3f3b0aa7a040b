import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isPlinthError, plinthError } from '../../contract/errors/coded-error.ts';

export interface AuthFailureLimits {
	/** Requests with a wrong key that an address may send in a minute; 0: any number. */
	readonly perMinute: number;
	/** The number of the operator's proxies in front of the server; 0: `X-Forwarded-For` is ignored. */
	readonly trustedProxies: number;
}

/**
 * Addresses are counted in this many buckets of about 400 bytes, so that millions of addresses cannot fill the memory.
 * Addresses that share a bucket share its count, which affects only requests with wrong keys.
 */
const buckets = 16_384;

const windowSeconds = 60;

/** Counts a failed authentication if the key was wrong. Throws `E_RATE_LIMITED` beyond the limit. */
export type CountFailure = (req: IncomingMessage, error: unknown) => Promise<void>;

/** Slows down the guessing of keys. Only wrong keys count: a valid key is never refused, a missing one is no guess. */
export function authFailures({ perMinute, trustedProxies }: AuthFailureLimits): CountFailure {
	// Secret, so that a client cannot choose an address that shares the bucket of another client.
	const salt = randomBytes(16);
	let limiter: Promise<RateLimiterMemory> | undefined;
	return async (req, error) => {
		if (perMinute === 0 || !isPlinthError(error) || error.code !== 'E_KEY_INVALID') return;
		// Loaded at the first failure: most servers never see one.
		limiter ??= import('rate-limiter-flexible').then(
			(library) => new library.RateLimiterMemory({ points: perMinute, duration: windowSeconds }),
		);
		const counter = await limiter;
		const digest = createHash('sha256').update(salt).update(clientNetwork(req, trustedProxies)).digest();
		await counter.consume(digest.readUInt32BE() % buckets).catch((refusal: Error | RateLimiterRes) => {
			// The library rejects with the state of the count; with an error only when it fails itself.
			if (refusal instanceof Error) throw refusal;
			const seconds = Math.min(Math.max(Math.ceil(refusal.msBeforeNext / 1000), 1), windowSeconds);
			throw plinthError('E_RATE_LIMITED', { headers: { 'retry-after': String(seconds) } });
		});
	};
}

/**
 * The network of a client: an IPv4 address, or the /64 of an IPv6 address, which one customer owns as a whole. Each
 * trusted proxy appends the address that it saw to `X-Forwarded-For`, so the client's is the `trustedProxies`-th from
 * the right; the client may have invented those further left. Empty without an address, as for `fetch`.
 */
export function clientNetwork(req: IncomingMessage, trustedProxies: number): string {
	return network(forwarded(req, trustedProxies) ?? req.socket?.remoteAddress ?? '');
}

function forwarded(req: IncomingMessage, trustedProxies: number): string | undefined {
	const header = req.headers['x-forwarded-for'];
	if (trustedProxies === 0 || header === undefined) return undefined;
	// A request that bypassed some of the proxies has fewer places.
	const places = String(header).split(',').slice(-trustedProxies);
	const address = withoutPort(places[0]?.trim() ?? '');
	return isIPv4(address) || isIPv6(address) ? address : undefined;
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
	return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
}

function network(address: string): string {
	if (!isIPv6(address)) return address;
	// As the host of a URL it has no zone, leading zeros or dotted end (WHATWG URL, "IPv6 serializer").
	const canonical = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
	const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical) ?? [];
	if (high && low) return [high, low].flatMap((pair) => [...Buffer.from(pair.padStart(4, '0'), 'hex')]).join('.');
	const [head = [], tail = []] = canonical.split('::').map((part) => part.split(':').filter(Boolean));
	const gap = Array.from({ length: 8 - head.length - tail.length }, () => '0');
	return `${[...head, ...gap, ...tail].slice(0, 4).join(':')}::/64`;
}
