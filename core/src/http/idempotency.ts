import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { invalidValue } from '../coded-error.ts';
import type { Idempotency } from '../ports/job-store.ts';
import { isUpload } from './upload.ts';

/** What makes two requests the same: everything but their bytes, for retries encode multipart anew. */
export interface RequestFacts {
	/** Method and path template. */
	readonly route: string;
	readonly params: unknown;
	readonly query: unknown;
	/** As it was parsed, before validation. */
	readonly body: unknown;
}

/** Reads the idempotency headers. The fingerprint is computed when it is first asked for. Throws `E_VALUE_INVALID` for a bad key. */
export function idempotencyOf(req: IncomingMessage, facts: () => RequestFacts): Idempotency {
	const key = keyOf(req);
	let fingerprint: string | undefined;
	return {
		...(key === undefined ? {} : { key }),
		retry: retryOf(req),
		get fingerprint() {
			fingerprint ??= createHash('sha256').update(canonical(facts())).digest('hex');
			return fingerprint;
		},
	};
}

function keyOf(req: IncomingMessage): string | undefined {
	const sent = req.headersDistinct['idempotency-key'];
	if (sent === undefined) return undefined;
	const [key] = sent;
	if (sent.length === 1 && key !== undefined && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
	throw invalidValue(
		'Idempotency-Key',
		'Idempotency-Key: 1 to 255 visible ASCII characters are expected, once.',
	);
}

function retryOf(req: IncomingMessage): number {
	const sent = req.headers['x-stainless-retry-count'];
	if (typeof sent !== 'string' || !/^\d{1,3}$/.test(sent)) return 0;
	return Number(sent) <= 100 ? Number(sent) : 0;
}

/** JSON with sorted keys; files stand in by their hash and type. */
function canonical(value: unknown): string {
	if (isUpload(value)) return `file:${value.sha256}:${value.mediaType}`;
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
	const members = Object.entries(value)
		.filter(([, member]) => member !== undefined)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
	return `{${members.join(',')}}`;
}
