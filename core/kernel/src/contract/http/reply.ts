import type { ByteRange } from '../ports/blob-store.ts';

/** Bytes that can be served whole or as one range. */
export interface ByteSource {
	/** In bytes. Unknown for streams that are produced while they are sent. */
	readonly size?: number;
	/** All bytes, if they are in memory: a text is then compressed for clients that accept it. */
	readonly bytes?: Uint8Array;
	/** Opens the bytes, or one range of them. Called at most once, and never for HEAD. */
	open(range?: ByteRange): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
	/** Rejects when `open` would. Called instead of `open` for a response without a body (HEAD, 304). */
	check?(): Promise<void>;
	/** Called instead of `open` when the bytes are not needed (HEAD, 304, a client that has disconnected). */
	discard?(): unknown;
}

/** Status and headers of a binary response. */
export interface BinaryOptions {
	readonly status?: number;
	readonly mediaType: string;
	/** Entity tag without quotes: a hash of the bytes. Enables `If-None-Match` and `If-Range`. */
	readonly etag?: string;
	/** Suggested file name; sent as `Content-Disposition: attachment`. */
	readonly filename?: string;
	/** Whether single byte ranges are served (RFC 9110 §14). Needs a `size`. */
	readonly ranges?: boolean;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes that a JSON response contains as base64. `base64()` creates them. */
export interface Base64 {
	readonly $kind: 'plinth.base64';
	/** The whole text, for other serializers. */
	toJSON(): string;
}

/** A JSON value of type `T` as a handler may return it: read-only, and with {@link Base64} instead of any string. */
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
	/** A line of text that is sent instead of an event. Clients ignore it. */
	readonly comment?: string;
}

/** What a handler may return besides a plain value. */
export type Reply = {
	readonly $kind: 'plinth.reply';
	/** The default is the status of the route. */
	readonly status: number | undefined;
	/** Names in lower case. No effect on a forwarded response, whose head has been sent already. */
	readonly headers: Readonly<Record<string, string>>;
} & (
	| { readonly type: 'json'; readonly value: unknown }
	| { readonly type: 'binary'; readonly source: ByteSource; readonly options: BinaryOptions }
	| { readonly type: 'events'; readonly events: AsyncIterable<ServerEvent> }
	| { readonly type: 'redirect' }
	| { readonly type: 'empty' }
	/** A response of an upstream that is being sent. `done` resolves when all was written, and never rejects. */
	| { readonly type: 'forward'; readonly done: Promise<void> }
);

/** A reply with a status: the result of `next()` in a middleware. */
export type Answer = Reply & { readonly status: number };

// A symbol, because a handler may return JSON from elsewhere, which can contain `$kind`.
const mark = Symbol.for('plinth.reply');
const brand = { $kind: 'plinth.reply', [mark]: true } as const;

/** Creates replies that are more than a JSON value. */
export const Reply = {
	/** JSON with another status than the route's, or with headers. */
	json(value: unknown, options: Pick<BinaryOptions, 'status' | 'headers'> = {}): Reply {
		const { status, headers = {} } = options;
		return { ...brand, type: 'json', value, status, headers };
	},
	/** Bytes, streamed with backpressure. An array or an async iterable is served whole. */
	binary(body: ByteSource | Uint8Array | AsyncIterable<Uint8Array>, options: BinaryOptions): Reply {
		const { status, headers = {} } = options;
		return { ...brand, type: 'binary', source: toSource(body), options, status, headers };
	},
	/** Server-sent events with heartbeat comments. The iterator's `return` is called when the client disconnects. */
	events(events: AsyncIterable<ServerEvent>, headers: Readonly<Record<string, string>> = {}): Reply {
		return { ...brand, type: 'events', events, status: 200, headers };
	},
	/** A redirect. The default status is 302. */
	redirect(location: string, status = 302): Reply {
		return { ...brand, type: 'redirect', status, headers: { location, 'content-length': '0' } };
	},
	/** No body. The default status is 204. */
	empty(status = 204, headers: Readonly<Record<string, string>> = {}): Reply {
		return { ...brand, type: 'empty', status, headers };
	},
	/** A response that is being sent already. Only `call.forward` creates these. */
	forward(status: number, done: Promise<void>): Reply {
		return { ...brand, type: 'forward', done, status, headers: {} };
	},
};

/** The reply, with the given status if it has none. */
export function withStatus(reply: Reply, status: number): Answer {
	return reply.status === undefined ? { ...reply, status } : (reply as Answer);
}

export function isReply(value: unknown): value is Reply {
	return typeof value === 'object' && value !== null && mark in value;
}

function toSource(body: ByteSource | Uint8Array | AsyncIterable<Uint8Array>): ByteSource {
	if (body instanceof Uint8Array) {
		return {
			size: body.byteLength,
			bytes: body,
			async *open(range) {
				yield range ? body.subarray(range.start, range.end + 1) : body;
			},
		};
	}
	if (!(Symbol.asyncIterator in body)) return body;
	// An iterable that is not read is ended too, because it may hold an upstream connection.
	return { open: () => body, discard: () => body[Symbol.asyncIterator]().return?.() };
}
