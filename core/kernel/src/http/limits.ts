import type { BodyLimits, Route } from '../contract/http/route.ts';
import { maxFileBytes } from '../contract/http/upload.ts';

/** Every limit of HTTP, in bytes, counts and milliseconds. A route changes its own by `limits` and `timeoutMs`. */
export const httpLimits = {
	/** A whole JSON body: 1 MB. */
	json: 1_048_576,
	/** A whole multipart body: 60 MB. */
	multipart: 62_914_560,
	/** One file: 50 MB. */
	file: maxFileBytes,
	files: 17,
	/** One text field: 128 KiB. */
	field: 131_072,
	fields: 48,
	/** Fields and files together. */
	parts: 64,
	/** All text fields of a body together, or what is left of a JSON body without the files in it: 24 MB. */
	allFields: 25_165_824,
	/** Header lines of one part. */
	headerPairs: 20,
	/** How deep JSON nests. */
	depth: 64,
	/** Members of all objects of a JSON body together. */
	keys: 10_000,
	/** Values of every kind in a JSON body. */
	values: 100_000,
	/** Until `call.signal` aborts. */
	timeoutMs: 600_000,
	/** Silence in an event stream before a comment is sent. */
	heartbeatMs: 15_000,
	/** How long a client may leave one piece of an answer unread. */
	stallMs: 30_000,
	/** The same for the error that ends an aborted request. */
	errorGraceMs: 2_000,
	/** What each window of a request body must bring, 8 KiB a second, and how long a window is. */
	paceBytes: 81_920,
	paceMs: 10_000,
	/** How long a handler that goes on although its client is gone still counts for its tenant. */
	abandonMs: 30_000,
	/** The pieces in which an answer is written. */
	pieceBytes: 262_144,
	/** What is read and thrown away so that a refused client sees the answer: 64 MB with a key, 1 MB without. */
	drain: 67_108_864,
	drainStrangers: 1_048_576,
	drainMs: 30_000,
	drainStrangersMs: 5_000,
	/** Request line and headers. */
	headBytes: 16_384,
	headMs: 10_000,
	/** A whole request: for slow uploads. */
	requestMs: 1_800_000,
	keepAliveMs: 65_000,
	/** How long a connection that has not asked yet stays open once the listener is closed. */
	lastCallMs: 500,
	/** How often Node looks for connections that are too slow. */
	sweepMs: 2_000,
} as const;

/** The body limits of one route, with the defaults filled in. */
export interface ResolvedLimits extends Required<BodyLimits> {
	readonly fields: number;
	readonly parts: number;
	readonly headerPairs: number;
}

/** Resolves the body limits of a route. */
export function limitsOf(route: Pick<Route, 'limits'>): ResolvedLimits {
	const files = route.limits?.files ?? httpLimits.files;
	const parts = httpLimits.parts + Math.max(0, files - httpLimits.files);
	return { ...httpLimits, fieldsEndingIn: {}, ...route.limits, files, parts };
}
