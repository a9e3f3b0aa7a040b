import type { z } from 'zod';
import type { ErrorSpec } from '../errors/error-spec.ts';
import type { Idempotency } from '../jobs/job-store.ts';
import type { Principal } from '../ports/authenticator.ts';
import type { ForwardRequest, RawBody } from '../ports/forward.ts';
import type { Logger } from '../ports/logger.ts';
import type { Reply, Sendable } from './reply.ts';
import type { UploadedFile } from './upload.ts';

/** Who may call a route: everybody, everybody with a valid key, or keys with a scope such as `videos:read`. */
export type RouteScope = 'public' | 'authenticated' | (string & {});

/** How a request body may be encoded. */
export type BodyEncoding = 'json' | 'multipart';

/** Largest bodies a route takes, in bytes. The kernel's table has the defaults. */
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
	/** Text fields with a limit of their own, by the end of their name: `{ '[image_url]': 22_020_096 }`. */
	readonly fieldsEndingIn?: Readonly<Record<string, number>>;
}

/** Which members of a JSON body become files, on a route with `spoolDataUrls`. */
export interface SpoolOptions {
	/** Names of members, wherever they stand, that may hold data URLs; every member unless set. */
	readonly only?: readonly string[];
	/** Names of members, wherever they stand, whose long strings may also be base64 alone. */
	readonly bare?: readonly string[];
	/** Damaged base64 is not answered with 400: `sentDocument` reports it to the handler. */
	readonly keepDamaged?: boolean;
}

/** The success answer of a route, for checks and for OpenAPI. */
export interface ResponseSpec<R extends z.ZodType = z.ZodType> {
	/** 200 unless said otherwise. */
	readonly status?: number;
	readonly description: string;
	/** Types what the handler returns, and is checked outside production. `.meta({ id })` gives it a name. */
	readonly schema?: R;
	/** Media types of binary or event-stream answers. */
	readonly mediaTypes?: readonly string[];
	/** Single byte ranges are served: 206 and 416 are documented. */
	readonly ranges?: boolean;
	/** An event stream that resumes after `Last-Event-ID`. */
	readonly resumes?: boolean;
	/** The meaning of 204, where it is a possible answer. */
	readonly nothing?: string;
	/** Headers of this answer, beside those that every answer has: name and meaning. */
	readonly headers?: Readonly<Record<string, string>>;
	/** JSON answers under other statuses that are no errors of the four-key form. */
	readonly others?: Readonly<Record<number, { readonly description: string; readonly schema: z.ZodType }>>;
}

/** One request, apart from its input. */
export interface Call {
	/** Method and path template of the route: `GET /v1/videos/{id}`. */
	readonly route: string;
	/** Who calls; on public routes an anonymous principal without scopes. */
	readonly principal: Principal;
	readonly requestId: string;
	readonly log: Logger;
	/** Aborts when the client leaves, the deadline passes or the server stops. */
	readonly signal: AbortSignal;
	/** Milliseconds since the Unix epoch at which the kernel gives up on the request. */
	readonly deadline: number;
	/** The address that absolute links start with, without a trailing slash. */
	readonly publicUrl: string;
	/** The length of the body in bytes as the head states it; undefined where it does not. */
	readonly bodyBytes: number | undefined;
	/**
	 * Sentences about members of the body that the route does not know. A JSON answer whose schema has `warnings` gets
	 * them by itself; an event stream names them where it has a place for them. Empty until the body has been checked.
	 */
	readonly warnings: readonly string[];
	/** How a repeat of this request is recognised: pass it on when the request creates a record. */
	readonly idempotency: Idempotency;
	/** The event after which a client resumes: `Last-Event-ID` (WHATWG HTML, §9.2.4), on routes with `resumes`. */
	readonly lastEventId: string | undefined;
	/**
	 * Writes a file that came from elsewhere to a temporary file with the life of an upload. Rejects with
	 * `E_BODY_TOO_LARGE` beyond `maxBytes`, with `E_OVERLOADED` when `maxBytes` exceed what is left for bodies in
	 * flight, and with `E_STORE_FULL`.
	 */
	keep(
		body: AsyncIterable<Uint8Array>,
		options: { readonly filename: string; readonly maxBytes: number },
	): Promise<UploadedFile>;
	/** Names the model that answers, for the header `x-plinth-model` and the log. The last call counts. */
	answeredBy(model: string): void;
	/**
	 * Sends a request to an upstream and its answer to the client, byte for byte. Resolves when the answer has begun:
	 * return the reply. Rejects before anything is sent, with an error of the request or the reason of a signal; another
	 * upstream may be asked then. `over` is called once, when the upstream is done.
	 */
	forward(request: ForwardRequest, over?: () => void, signal?: AbortSignal): Promise<Reply>;
}

/** What a handler may return: a value that the schema of its response takes, nothing, or a reply. */
export type HandlerResult<R extends z.ZodType> = Sendable<z.input<R>> | Reply | undefined;

/** A route as data. Paths are OpenAPI templates: `/v1/videos/{id}`; literal segments win over parameters. */
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
	/** One line for OpenAPI. */
	readonly summary: string;
	readonly description?: string;
	readonly params?: P;
	readonly query?: Q;
	readonly body?: B;
	/** Encodings of the body; JSON unless said otherwise. A request in another one is answered 415. */
	readonly encoding?: BodyEncoding | readonly BodyEncoding[];
	readonly limits?: BodyLimits;
	/**
	 * Base64 data URLs of more than 65,536 characters in a JSON body become an `UploadedFile` without a name, of at most
	 * `limits.file` bytes. They are decoded while the body arrives and are never in memory as a whole. The rest of the
	 * text is bounded by `limits.allFields`.
	 */
	readonly spoolDataUrls?: boolean | SpoolOptions;
	readonly response: ResponseSpec<R>;
	/** Rows of error tables that this route answers with, besides those every route shares. */
	readonly errors: readonly ErrorSpec[];
	/** Milliseconds until `call.signal` aborts; 10 minutes unless said otherwise. */
	readonly timeoutMs?: number;
	/** Called before the body is read; throws to refuse the request. The call has no fingerprint yet. */
	precheck?(call: Call): Promise<void> | void;
	/**
	 * Called for JSON bodies of known length up to 262,144 bytes that have a `model`, before they are checked against
	 * `body`. A reply is the answer; with undefined the handler is called. The call has no fingerprint yet.
	 */
	forward?(raw: RawBody, call: Call): Promise<Reply | undefined>;
	/** Returns a value to be sent as JSON, nothing, or a `Reply`. A member of `input` without a schema is undefined. */
	handler(
		input: { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> },
		call: Call,
	): T | Promise<T>;
}

/** A declared route with its types erased. */
export interface Route extends RouteDefinition {
	readonly $kind: 'plinth.route';
}

/** Declares a route. */
export function defineRoute<
	P extends z.ZodType = z.ZodUndefined,
	Q extends z.ZodType = z.ZodUndefined,
	B extends z.ZodType = z.ZodUndefined,
	R extends z.ZodType = z.ZodType,
	// Constant, so that `{ object: 'list' }` has that text as its type.
	const T extends HandlerResult<R> = HandlerResult<R>,
>(definition: RouteDefinition<P, Q, B, R, T>): Route {
	return { ...(definition as unknown as RouteDefinition), $kind: 'plinth.route' };
}
