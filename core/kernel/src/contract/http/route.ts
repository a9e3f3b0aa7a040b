import type { z } from 'zod';
import type { ErrorSpec } from '../errors/errors.ts';
import type { Idempotency } from '../jobs/job-store.ts';
import type { Principal } from '../ports/authenticator.ts';
import type { ForwardRequest, RawBody } from '../ports/forward.ts';
import type { Logger } from '../ports/logger.ts';
import type { Answer, Reply, Sendable } from './reply.ts';
import type { UploadedFile } from './upload.ts';

/** Who may call a route: everyone, every valid key, or keys with a scope such as `videos:read`. */
export type RouteScope = 'public' | 'authenticated' | (string & {});

/** How a request body may be encoded. */
export type BodyEncoding = 'json' | 'multipart';

/** The maximum sizes of request bodies, in bytes. */
export interface BodyLimits {
	/** A whole JSON body; 1 MB by default. */
	readonly json?: number;
	/** A whole multipart body; 60 MB by default. */
	readonly multipart?: number;
	/** One file; 52,428,800 by default. */
	readonly file?: number;
	/** How many files; 17 by default. */
	readonly files?: number;
	/** One text field; 128 KiB by default. */
	readonly field?: number;
	/** All text fields together, or the text of a JSON body besides its files; 25,165,824 by default. */
	readonly allFields?: number;
	/** Limits of single text fields, by the end of their name: `{ '[image_url]': 22_020_096 }`. */
	readonly fieldsEndingIn?: Readonly<Record<string, number>>;
}

/** Which members of a JSON body become files, on a route with `spoolDataUrls`. */
export interface SpoolOptions {
	/** Names of members at any depth that may contain data URLs. The default is every member. */
	readonly only?: readonly string[];
	/** Names of members at any depth whose long strings may also be base64 without a data URL. */
	readonly bare?: readonly string[];
	/** Invalid base64 is not refused with 400: `sentDocument` reports it to the handler. */
	readonly keepDamaged?: boolean;
}

/** The successful response of a route, for checks and for OpenAPI. */
export interface ResponseSpec<R extends z.ZodType = z.ZodType> {
	/** The default is 200. */
	readonly status?: number;
	readonly description: string;
	/** The type of what the handler returns. It is checked outside production. `.meta({ id })` names it in OpenAPI. */
	readonly schema?: R;
	/** Media types of a binary response or an event stream. */
	readonly mediaTypes?: readonly string[];
	/** Whether single byte ranges are served: OpenAPI then has 206 and 416. */
	readonly ranges?: boolean;
	/** Whether the event stream resumes after `Last-Event-ID`. */
	readonly resumes?: boolean;
	/** The meaning of 204, if the route can respond with it. */
	readonly nothing?: string;
	/** Names and meanings of headers, in addition to those of every response. */
	readonly headers?: Readonly<Record<string, string>>;
	/** JSON responses with other statuses that do not have the four-key error body. */
	readonly others?: Readonly<Record<number, { readonly description: string; readonly schema: z.ZodType }>>;
}

/** One request, apart from its input. */
export interface Call {
	/** Method and path template of the route: `GET /v1/videos/{id}`. */
	readonly route: string;
	/** The caller. On public routes, an anonymous principal without scopes. */
	readonly principal: Principal;
	readonly requestId: string;
	readonly log: Logger;
	/** Aborts when the client disconnects, the deadline passes or the server stops. */
	readonly signal: AbortSignal;
	/** Milliseconds since the Unix epoch. At this time the kernel aborts the request. */
	readonly deadline: number;
	/** The address that absolute links start with, without a trailing slash. */
	readonly publicUrl: string;
	/** The length of the body in bytes by its `content-length`; undefined without one. */
	readonly bodyBytes: number | undefined;
	/**
	 * Sentences about unknown members of the body. The kernel adds them to a JSON response whose schema has `warnings`,
	 * and to other responses as the header `x-plinth-warnings`. Empty until the body has been checked.
	 */
	readonly warnings: readonly string[];
	/** Identifies a repeat of this request. Pass it to the store when the request creates a record. */
	readonly idempotency: Idempotency;
	/** The last event that the client received: `Last-Event-ID` (WHATWG HTML, §9.2.4), on routes with `resumes`. */
	readonly lastEventId: string | undefined;
	/**
	 * Writes the body to a temporary file, which is deleted like an upload. Rejects with `E_BODY_TOO_LARGE` beyond
	 * `maxBytes`, with `E_OVERLOADED` if `maxBytes` exceed the rest of `server.limits.inFlightBytes`, and `E_STORE_FULL`.
	 */
	keep(
		body: AsyncIterable<Uint8Array>,
		options: { readonly filename: string; readonly maxBytes: number },
	): Promise<UploadedFile>;
	/** Sets the model for the header `x-plinth-model` and the log. The last call counts. */
	answeredBy(model: string): void;
	/**
	 * Sends a request to an upstream and its response to the client, unchanged. Resolves with the handler's reply when the
	 * response has started. Rejects with an error of the request or the reason of a signal while nothing has been sent to
	 * the client, so that another upstream can be tried. `onEnd` is called once, when the upstream request has ended.
	 */
	forward(request: ForwardRequest, onEnd?: () => void, signal?: AbortSignal): Promise<Reply>;
}

/** What a handler may return: a value of the response schema, nothing, or a reply. */
export type HandlerResult<R extends z.ZodType> = Sendable<z.input<R>> | Reply | undefined;

/** A route. Paths are OpenAPI templates: `/v1/videos/{id}`. Literal segments have precedence over parameters. */
export interface RouteDefinition<
	P extends z.ZodType = z.ZodType,
	Q extends z.ZodType = z.ZodType,
	B extends z.ZodType = z.ZodType,
	R extends z.ZodType = z.ZodType,
	T = HandlerResult<R>,
> {
	readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	readonly path: `/${string}`;
	readonly scope: RouteScope;
	/** One line, for OpenAPI. */
	readonly summary: string;
	readonly description?: string;
	readonly params?: P;
	readonly query?: Q;
	readonly body?: B;
	/** Encodings of the body. The default is JSON. A request with another encoding gets 415. */
	readonly encoding?: BodyEncoding | readonly BodyEncoding[];
	readonly limits?: BodyLimits;
	/**
	 * Base64 data URLs of more than 65,536 characters in a JSON body become an `UploadedFile` without a name, of at most
	 * `limits.file` bytes, decoded as the body arrives, never whole in memory. `limits.allFields` bounds the other text.
	 */
	readonly spoolDataUrls?: boolean | SpoolOptions;
	readonly response: ResponseSpec<R>;
	/** Rows of error tables, in addition to those that apply to every route. */
	readonly errors: readonly ErrorSpec[];
	/** Milliseconds until `call.signal` aborts. The default is 10 minutes. */
	readonly timeoutMs?: number;
	/** Called before the body is read. It throws to refuse the request. The call has no fingerprint yet. */
	precheck?(call: Call): Promise<void> | void;
	/**
	 * Called for JSON bodies of known length up to 262,144 bytes that have a `model`, before they are checked against
	 * `body`. Returns the reply, or undefined to call the handler. The call has no fingerprint yet.
	 */
	forward?(raw: RawBody, call: Call): Promise<Reply | undefined>;
	/** Returns a value to be sent as JSON, nothing, or a `Reply`. A member of `input` without a schema is undefined. */
	handler(
		input: { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> },
		call: Call,
	): T | Promise<T>;
}

/** A declared route without its type parameters. */
export interface Route extends RouteDefinition {
	readonly $kind: 'plinth.route';
}

/** Declares a route. */
export function defineRoute<
	P extends z.ZodType = z.ZodUndefined,
	Q extends z.ZodType = z.ZodUndefined,
	B extends z.ZodType = z.ZodUndefined,
	R extends z.ZodType = z.ZodType,
	// `const`, so that the type of `{ object: 'list' }` is that literal.
	const T extends HandlerResult<R> = HandlerResult<R>,
>(definition: RouteDefinition<P, Q, B, R, T>): Route {
	return { ...(definition as unknown as RouteDefinition), $kind: 'plinth.route' };
}

/**
 * Wraps every route, after authentication and admission and before the body is read. `next()` resolves with the inner
 * answer or rejects with its error; it may be called once. A middleware returns this answer or another reply, or throws
 * a coded error.
 */
export type Middleware = (call: Call, next: () => Promise<Answer>) => Promise<Reply> | Reply;
