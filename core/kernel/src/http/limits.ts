import type { BodyLimits, Route } from '../contract/http/route.ts';
import { maxFileBytes } from '../contract/http/upload.ts';

/** Every limit of HTTP, in bytes, counts and milliseconds. A route changes its own by `limits` and `timeoutMs`. */
export const httpLimits = {
	/** A whole JSON body: 1 MB. */
	json: 1_048_576,
	/** A whole multipart body: 60 MB. */
	multipart: 62_914_560,
	file: maxFileBytes,
	files: 17,
	/** One text field: 128 KiB. */
	field: 131_072,
	fields: 48,
	/** Fields and files together. */
	parts: 64,
	/** All text fields of a body together, or a JSON body without the files in it: 24 MB. */
	allFields: 25_165_824,
	/** Header lines of one part. */
	headerPairs: 20,
	/** Levels of nesting in a JSON body. */
	depth: 64,
	/** Members of all objects of a JSON body together. */
	keys: 10_000,
	/** Values of every kind in a JSON body. */
	values: 100_000,
	/** The time after which `call.signal` aborts. */
	timeoutMs: 600_000,
	/** How long an event stream is silent before a comment is sent. */
	heartbeatMs: 15_000,
	/** How long a client may leave one piece of a response unread. */
	stallMs: 30_000,
	/** The same for the error that ends an aborted request. */
	errorGraceMs: 2_000,
	/** The bytes that each window of a request body must bring (8 KiB a second), and the length of a window. */
	paceBytes: 81_920,
	paceMs: 10_000,
	/** How long a handler that continues after its client has disconnected counts for its tenant. */
	abandonMs: 30_000,
	/** The size of the pieces in which a response is written. */
	pieceBytes: 262_144,
	/** Bytes that are read and discarded so that a refused client gets the response: 64 MB with a key, 1 MB without. */
	drain: 67_108_864,
	drainUnauthenticated: 1_048_576,
	drainMs: 30_000,
	drainUnauthenticatedMs: 5_000,
	/** Request line and headers. */
	headBytes: 16_384,
	headMs: 10_000,
	/** A whole request, slow uploads included. */
	requestMs: 1_800_000,
	keepAliveMs: 65_000,
	/** How long a connection that has not sent a request yet stays open after the listener has closed. */
	lastCallMs: 500,
	/** How often Node looks for connections that are too slow. */
	sweepMs: 2_000,
} as const;

export interface ResolvedLimits extends Required<BodyLimits> {
	readonly fields: number;
	readonly parts: number;
	readonly headerPairs: number;
}

export function limitsOf(route: Pick<Route, 'limits'>): ResolvedLimits {
	const files = route.limits?.files ?? httpLimits.files;
	const parts = httpLimits.parts + Math.max(0, files - httpLimits.files);
	return { ...httpLimits, fieldsEndingIn: {}, ...route.limits, files, parts };
}
