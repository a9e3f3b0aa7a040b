import type { ByteRange } from '../ports/blob-store.ts';

/** Bytes that can be served whole or in windows. */
export interface ByteSource {
	/** Bytes; unknown for streams that are made while they are sent. */
	readonly size?: number;
	/** Opens the bytes, or one window of them. Called at most once, and not at all for HEAD. */
	open(range?: ByteRange): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
	/** Rejects when `open` would. Called in its place where the answer has no body (HEAD, 304), so that it is the answer of a GET. */
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

/** One server-sent event. `data` is serialized as JSON unless it is a string. */
export interface ServerEvent {
	readonly event?: string;
	readonly id?: string;
	readonly data: unknown;
}

/** Options of a plain JSON answer. */
export interface JsonOptions {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

/** What a handler may answer besides a plain value. */
export type Reply = { readonly $kind: 'plinth.reply' } & (
	| {
			readonly type: 'json';
			readonly value: unknown;
			readonly status: number | undefined;
			readonly headers: Readonly<Record<string, string>>;
	  }
	| { readonly type: 'binary'; readonly source: ByteSource; readonly options: BinaryOptions }
	| {
			readonly type: 'events';
			readonly events: AsyncIterable<ServerEvent>;
			readonly headers: Readonly<Record<string, string>>;
	  }
	| { readonly type: 'redirect'; readonly location: string; readonly status: number }
	| {
			readonly type: 'empty';
			readonly status: number;
			readonly headers: Readonly<Record<string, string>>;
	  }
	/** An upstream's response that is on its way to the client; `done` resolves when the response has closed. It never rejects. */
	| { readonly type: 'forward'; readonly status: number; readonly done: Promise<void> }
);

// A handler may return JSON that somebody else wrote: a symbol is what that cannot spell.
const mark = Symbol.for('plinth.reply');
const brand = { $kind: 'plinth.reply', [mark]: true } as const;

/** Makes replies that are more than a JSON value. */
export const Reply = {
	/** JSON with another status than the route's, or with headers of its own. */
	json(value: unknown, options: JsonOptions = {}): Reply {
		return {
			...brand,
			type: 'json',
			value,
			status: options.status,
			headers: options.headers ?? {},
		};
	},
	/** Bytes, streamed with back-pressure. A plain array or an async iterable is served whole. */
	binary(body: ByteSource | Uint8Array | AsyncIterable<Uint8Array>, options: BinaryOptions): Reply {
		return { ...brand, type: 'binary', source: toSource(body), options };
	},
	/** Server-sent events with heartbeat comments. The iterator's `return` is called when the client leaves. */
	events(
		events: AsyncIterable<ServerEvent>,
		headers: Readonly<Record<string, string>> = {},
	): Reply {
		return { ...brand, type: 'events', events, headers };
	},
	/** A redirect; 302 unless said otherwise. */
	redirect(location: string, status = 302): Reply {
		return { ...brand, type: 'redirect', location, status };
	},
	/** No body; 204 unless said otherwise. */
	empty(status = 204, headers: Readonly<Record<string, string>> = {}): Reply {
		return { ...brand, type: 'empty', status, headers };
	},
	/** An answer that is being sent already. Only `call.forward` makes these. */
	forward(status: number, done: Promise<void>): Reply {
		return { ...brand, type: 'forward', status, done };
	},
};

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
	// It may hold an upstream open already, so it is ended also when nobody reads it.
	return { open: () => body, discard: () => body[Symbol.asyncIterator]().return?.() };
}
