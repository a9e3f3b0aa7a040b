import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { invalidValue } from '../../contract/errors/coded-error.ts';
import { errors } from '../../contract/errors/errors.ts';
import type { Route } from '../../contract/http/route.ts';
import { isUpload } from '../../contract/http/upload.ts';
import type { Idempotency } from '../../contract/jobs/job-store.ts';
import { headerValues } from '../header-values.ts';

/** What makes two requests the same: everything but their bytes, for retries encode multipart anew. */
export interface RequestFacts {
	/** Method and path template. */
	readonly route: string;
	readonly params: unknown;
	readonly query: unknown;
	/** As it was parsed, before validation. */
	readonly body: unknown;
}

/** What an `Idempotency-Key` looks like: visible ASCII. */
export const idempotencyKeyPattern: RegExp = /^[!-~]{1,255}$/;

/** Whether a route says that it recognises repeats: it answers `E_IDEMPOTENCY_MISMATCH`. */
export function takesIdempotencyKey({ errors: rows }: Pick<Route, 'errors'>): boolean {
	return rows.includes(errors.E_IDEMPOTENCY_MISMATCH);
}

/**
 * Reads the idempotency headers. The fingerprint is computed when it is first asked for. Throws `E_VALUE_INVALID` for
 * a bad key where the route takes one.
 */
export function idempotencyOf(
	req: IncomingMessage,
	route: Pick<Route, 'errors'>,
	facts: () => RequestFacts,
): Idempotency {
	const key = keyOf(req);
	if (key === null && takesIdempotencyKey(route)) {
		throw invalidValue('Idempotency-Key', 'Idempotency-Key: 1 to 255 visible ASCII characters are expected, once.');
	}
	return new RequestIdempotency(typeof key === 'string' ? key : undefined, retryOf(req), facts);
}

class RequestIdempotency implements Idempotency {
	readonly key?: string;
	readonly retry: number;
	declare readonly fingerprint: string;
	readonly #facts: () => RequestFacts;
	#fingerprint: string | undefined;

	constructor(key: string | undefined, retry: number, facts: () => RequestFacts) {
		if (key !== undefined) this.key = key;
		this.retry = retry;
		this.#facts = facts;
		Object.defineProperty(this, 'fingerprint', RequestIdempotency.#own);
	}

	// Its own, so that copies have it, and one function for all: a getter written into a literal gives each object a
	// shape of its own, which outlives the request and keeps it in memory.
	static readonly #own = {
		enumerable: true,
		get(this: RequestIdempotency): string {
			this.#fingerprint ??= sha256(canonical(this.#facts()));
			return this.#fingerprint;
		},
	};
}

/** Null: what was sent is no key. */
function keyOf(req: IncomingMessage): string | null | undefined {
	const sent = headerValues(req, 'idempotency-key');
	if (sent.length === 0) return undefined;
	const [key = ''] = sent;
	return sent.length === 1 && idempotencyKeyPattern.test(key) ? key : null;
}

function retryOf(req: IncomingMessage): number {
	const sent = req.headers['x-stainless-retry-count'];
	if (typeof sent !== 'string' || !/^\d{1,3}$/.test(sent)) return 0;
	return Number(sent) <= 100 ? Number(sent) : 0;
}

function sha256(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}

/**
 * Longer strings, such as pictures in data URLs, stand in by their hash: copying them around would cost more than
 * hashing.
 */
const longString = 65_536;

/** JSON with sorted keys; files stand in by their hash and type. */
function canonical(value: unknown): string {
	if (isUpload(value)) return `file:${value.sha256}:${value.mediaType}`;
	if (typeof value === 'string' && value.length > longString) return `text:${sha256(value)}`;
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
	const members = Object.entries(value)
		.filter(([, member]) => member !== undefined)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
	return `{${members.join(',')}}`;
}
