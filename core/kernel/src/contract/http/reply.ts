import type { ByteRange } from '../ports/blob-store.ts';

/** Bytes that can be served whole or in windows. */
export interface ByteSource {
	/** Bytes; unknown for streams that are made while they are sent. */
	readonly size?: number;
	/** Opens the bytes, or one window of them. Called at most once, and not at all for HEAD. */
	open(range?: ByteRange): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
	/** Rejects when `open` would. Called in its place where the answer has no body (HEAD, 304). */
	check?(): Promise<void>;
	/** Called in place of `open` when the bytes are not wanted after all (HEAD, 304, a client that has left). */
	discard?(): unknown;
}

/** How binary content is described to the client. */
export interface BinaryOptions {
	readonly status?: number;
	readonly mediaType: string;
	/** Entity tag without quotes: a hash of the bytes. Enables `If-None-Match` and `If-Range`. */
	readonly etag?: string;
	/** Suggested file name; sent as `Content-Disposition: attachment`. */
	readonly filename?: string;
	/** Serve single byte ranges (RFC 9110 §14). Needs a `size`. */
	readonly ranges?: boolean;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes that a JSON answer holds as base64; `base64()` makes them. */
export interface Base64 {
	readonly $kind: 'plinth.base64';
	/** The whole text, for other serializers. */
	toJSON(): string;
}

/** A JSON value of type `T` as a handler may return it: read-only, and with {@link Base64} in place of any text. */
export type Sendable<T> = unknown extends T
	? unknown
	: T extends string
		? T | (string extends T ? Base64 : never)
		: T extends readonly (infer Item)[]
			? readonly Sendable<Item>[]
			: T extends object
				? { readonly [Key in keyof T]: Sendable<T[Key]> }
				: T;

/** One server-sent event. `data` is serialized as JSON unless it is a string. */
export interface ServerEvent {
	readonly event?: string;
	readonly id?: string;
	readonly data: unknown;
	/** Text of one line that clients ignore, sent in place of an event. */
	readonly comment?: string;
}

/** What a handler may answer besides a plain value. */
export type Reply = {
	readonly $kind: 'plinth.reply';
	/** Undefined: the status of the route. */
	readonly status: number | undefined;
	/** Lower-case names. Has no effect on a forwarded answer, whose head is sent already. */
	readonly headers: Readonly<Record<string, string>>;
} & (
	| { readonly type: 'json'; readonly value: unknown }
	| { readonly type: 'binary'; readonly source: ByteSource; readonly options: BinaryOptions }
	| { readonly type: 'events'; readonly events: AsyncIterable<ServerEvent> }
	| { readonly type: 'redirect' }
	| { readonly type: 'empty' }
	/** A response of an upstream that is being sent; `done` resolves when all was written, and never rejects. */
	| { readonly type: 'forward'; readonly done: Promise<void> }
);

/** A reply whose status is known: what a middleware gets from `next()`. */
export type Answer = Reply & { readonly status: number };

// A handler may return JSON of another author. A symbol cannot be spelled in JSON.
const mark = Symbol.for('plinth.reply');
const brand = { $kind: 'plinth.reply', [mark]: true } as const;

/** Makes replies that are more than a JSON value. */
export const Reply = {
	/** JSON with another status than the route's, or with headers of its own. */
	json(value: unknown, options: Pick<BinaryOptions, 'status' | 'headers'> = {}): Reply {
		const { status, headers = {} } = options;
		return { ...brand, type: 'json', value, status, headers };
	},
	/** Bytes, streamed with back-pressure. A plain array or an async iterable is served whole. */
	binary(body: ByteSource | Uint8Array | AsyncIterable<Uint8Array>, options: BinaryOptions): Reply {
		const { status, headers = {} } = options;
		return { ...brand, type: 'binary', source: toSource(body), options, status, headers };
	},
	/** Server-sent events with heartbeat comments. The iterator's `return` is called when the client leaves. */
	events(events: AsyncIterable<ServerEvent>, headers: Readonly<Record<string, string>> = {}): Reply {
		return { ...brand, type: 'events', events, status: 200, headers };
	},
	/** A redirect; 302 unless said otherwise. */
	redirect(location: string, status = 302): Reply {
		return { ...brand, type: 'redirect', status, headers: { location, 'content-length': '0' } };
	},
	/** No body; 204 unless said otherwise. */
	empty(status = 204, headers: Readonly<Record<string, string>> = {}): Reply {
		return { ...brand, type: 'empty', status, headers };
	},
	/** An answer that is being sent already. Only `call.forward` makes these. */
	forward(status: number, done: Promise<void>): Reply {
		return { ...brand, type: 'forward', done, status, headers: {} };
	},
};

/** The same reply with the status of the route where it has none of its own. */
export function withStatus(reply: Reply, status: number): Answer {
	return reply.status === undefined ? { ...reply, status } : (reply as Answer);
}

/** Tells a reply from a plain value. */
export function isReply(value: unknown): value is Reply {
	return typeof value === 'object' && value !== null && mark in value;
}

function toSource(body: ByteSource | Uint8Array | AsyncIterable<Uint8Array>): ByteSource {
	if (body instanceof Uint8Array) {
		return {
			size: body.byteLength,
			async *open(range) {
				yield range ? body.subarray(range.start, range.end + 1) : body;
			},
		};
	}
	if (!(Symbol.asyncIterator in body)) return body;
	// It may hold an upstream connection, so it is ended also when nothing reads it.
	return { open: () => body, discard: () => body[Symbol.asyncIterator]().return?.() };
}
