import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isPlinthError, plinthError } from '../../contract/errors/coded-error.ts';

/** How failing attempts are limited. */
export interface AuthFailureLimits {
	/** Requests with a wrong key that an address may send in a minute; 0: any number. */
	readonly perMinute: number;
	/** The number of own proxies in front; 0: `X-Forwarded-For` is ignored. */
	readonly trustedProxies: number;
}

/**
 * Addresses are counted in this many buckets of about 400 bytes, so that millions of addresses cannot fill the memory.
 * Addresses that share a bucket share its count, which only those with wrong keys notice.
 */
const buckets = 16_384;

const windowSeconds = 60;

/** Slows down guessing of keys. Only wrong keys count: a good key is never refused, a missing one guesses nothing. */
export class AuthFailures {
	readonly #limits: AuthFailureLimits;
	/** So that nobody can choose with whom to share a bucket. */
	readonly #salt = randomBytes(16);
	#limiter: Promise<RateLimiterMemory> | undefined;

	constructor(limits: AuthFailureLimits) {
		this.#limits = limits;
	}

	/** Counts a failed authentication if the key was wrong. Throws `E_RATE_LIMITED` beyond the limit. */
	async count(req: IncomingMessage, error: unknown): Promise<void> {
		const { perMinute, trustedProxies } = this.#limits;
		if (perMinute === 0 || !isPlinthError(error) || error.code !== 'E_KEY_INVALID') return;
		// Loaded at the first failure: most servers never see one.
		this.#limiter ??= import('rate-limiter-flexible').then(
			(library) => new library.RateLimiterMemory({ points: perMinute, duration: windowSeconds }),
		);
		const limiter = await this.#limiter;
		const network = clientNetwork(req, trustedProxies);
		const digest = createHash('sha256').update(this.#salt).update(network).digest();
		await limiter.consume(digest.readUInt32BE() % buckets).catch((refusal: Error | RateLimiterRes) => {
			// The library rejects with the state of the count; with an error only when it fails itself.
			if (refusal instanceof Error) throw refusal;
			const seconds = Math.min(Math.max(Math.ceil(refusal.msBeforeNext / 1000), 1), windowSeconds);
			throw plinthError('E_RATE_LIMITED', { headers: { 'retry-after': String(seconds) } });
		});
	}
}

/**
 * The network of a client: an IPv4 address, or the /64 of an IPv6 address, which one customer owns as a whole. Each
 * trusted proxy appends the address that it saw to `X-Forwarded-For`, so the client's is `trustedProxies` places from
 * the right; the client may have invented what is further left. Without an address, as behind `fetch`, it is empty.
 */
export function clientNetwork(req: IncomingMessage, trustedProxies: number): string {
	const direct = req.socket?.remoteAddress ?? '';
	return network(forwarded(req, trustedProxies) ?? direct);
}

function forwarded(req: IncomingMessage, trustedProxies: number): string | undefined {
	const header = req.headers['x-forwarded-for'];
	if (trustedProxies === 0 || header === undefined) return undefined;
	// A request that came past some of the proxies has fewer places.
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
	// Written as a host it has no zone, no leading zeros and no dotted end (WHATWG URL, "IPv6 serializer").
	const plain = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
	const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(plain) ?? [];
	if (high && low) return [high, low].flatMap((pair) => [...Buffer.from(pair.padStart(4, '0'), 'hex')]).join('.');
	const [head = [], tail = []] = plain.split('::').map((part) => part.split(':').filter(Boolean));
	const gap = Array.from({ length: 8 - head.length - tail.length }, () => '0');
	return `${[...head, ...gap, ...tail].slice(0, 4).join(':')}::/64`;
}
