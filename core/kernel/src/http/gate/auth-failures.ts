import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isPlinthError, plinthError } from '../../contract/errors/coded-error.ts';
import { clientNetwork } from './client-address.ts';

/** How failing attempts are limited. */
export interface AuthFailureLimits {
	/** Requests with a wrong key that an address may send in a minute. 0: any number. */
	readonly perMinute: number;
	/** How many proxies of one's own stand in front; 0: `X-Forwarded-For` is not looked at. */
	readonly trustedProxies: number;
}

/** Limits nothing. */
export const unlimitedFailures: AuthFailureLimits = { perMinute: 0, trustedProxies: 0 };

/**
 * Addresses are counted in this many buckets, about 400 bytes each, so that millions of addresses cannot fill the
 * memory. Two that fall into one share its count, which only those with wrong keys notice.
 */
const buckets = 16_384;

const windowSeconds = 60;

/**
 * Slows down those who guess keys. The key is always checked first, so a good one is never refused here, wherever it
 * comes from. Only what was sent and is wrong counts: a request without any key guesses nothing.
 */
export class AuthFailures {
	readonly #limits: AuthFailureLimits;
	readonly #salt = randomBytes(16);
	#limiter: Promise<RateLimiterMemory> | undefined;

	constructor(limits: AuthFailureLimits) {
		this.#limits = limits;
	}

	/** Passes on how `authenticating` ends, but `E_RATE_LIMITED` in place of one `E_KEY_INVALID` too many. */
	watch<T>(req: IncomingMessage, authenticating: Promise<T>): Promise<T> {
		if (this.#limits.perMinute === 0) return authenticating;
		return authenticating.catch(async (error) => {
			if (isPlinthError(error) && error.code === 'E_KEY_INVALID') await this.#count(req);
			throw error;
		});
	}

	async #count(req: IncomingMessage): Promise<void> {
		const { perMinute, trustedProxies } = this.#limits;
		this.#limiter ??= load(perMinute);
		const limiter = await this.#limiter;
		const bucket = this.#bucketOf(clientNetwork(req, trustedProxies));
		try {
			await limiter.consume(bucket);
		} catch (refusal) {
			throw tooMany(refusal);
		}
	}

	// Salted, so that nobody can choose with whom to share.
	#bucketOf(network: string): number {
		const digest = createHash('sha256').update(this.#salt).update(network).digest();
		return digest.readUInt32BE() % buckets;
	}
}

// Not before the first failure: most servers that start never see one.
async function load(points: number): Promise<RateLimiterMemory> {
	const { RateLimiterMemory } = await import('rate-limiter-flexible');
	return new RateLimiterMemory({ points, duration: windowSeconds });
}

function tooMany(refusal: unknown): Error {
	// The library rejects with the state of the count; with an error only when it fails itself.
	if (refusal instanceof Error) return refusal;
	const seconds = Math.ceil((refusal as RateLimiterRes).msBeforeNext / 1000);
	const retryAfter = Math.min(Math.max(seconds, 1), windowSeconds);
	return plinthError('E_RATE_LIMITED', { headers: { 'retry-after': String(retryAfter) } });
}
