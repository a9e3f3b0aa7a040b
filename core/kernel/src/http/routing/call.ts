import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { invalidValue } from '../../contract/errors/coded-error.ts';
import { errors } from '../../contract/errors/errors.ts';
import type { Call, Route } from '../../contract/http/route.ts';
import { isUpload } from '../../contract/http/upload.ts';
import type { Idempotency } from '../../contract/jobs/job-store.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import { keptFiles } from '../bodies/files/kept-files.ts';
import type { RequestState } from '../context.ts';
import { type Exchange, headerValues } from '../exchange.ts';
import { anonymous } from '../gate/authentication.ts';
import { httpLimits } from '../limits.ts';
import { forward } from '../passthrough/forward.ts';

export const idempotencyKeyPattern: RegExp = /^[!-~]{1,255}$/;

/** The valid values of `Last-Event-ID`. An empty value counts as none. */
export const lastEventIdPattern: RegExp = /^[ -~]{0,200}$/;

/** Whether a route recognises repeated requests: its errors then include `E_IDEMPOTENCY_MISMATCH`. */
export function takesIdempotencyKey({ errors: rows }: Pick<Route, 'errors'>): boolean {
	return rows.includes(errors.E_IDEMPOTENCY_MISMATCH);
}

export interface RouteCall extends Call {
	readonly warnings: string[];
	/** Deletes the files of `keep`. Later calls of `keep` reject. */
	end(): Promise<void> | undefined;
}

/**
 * `input` returns the params, the query and, once it has been read, the parsed body. Throws `E_VALUE_INVALID` for an
 * invalid `Last-Event-ID` or `Idempotency-Key` if the route uses it.
 */
export function createCall({ exchange, entry }: RequestState, route: Route, input: () => object): RouteCall {
	const { req } = exchange;
	const name = `${route.method} ${route.path}`;
	let files: ReturnType<typeof keptFiles> | undefined;
	let hasEnded = false;
	return Object.assign(new LazyMembers(exchange), {
		route: name,
		principal: exchange.principal ?? anonymous,
		requestId: exchange.requestId,
		deadline: exchange.startedAt + (route.timeoutMs ?? httpLimits.timeoutMs),
		publicUrl: entry.publicUrl,
		bodyBytes: lengthOf(req),
		warnings: [],
		idempotency: new RequestIdempotency(req, route, () => ({ route: name, ...input() })),
		lastEventId: route.response.resumes ? lastEventIdOf(req) : undefined,
		async keep(...[body, options]: Parameters<Call['keep']>) {
			if (hasEnded) throw new Error('The request has ended, so no file can be kept for it.');
			files ??= keptFiles(exchange);
			return files.keep(body, options);
		},
		answeredBy(model: string) {
			exchange.model = model;
		},
		forward: (...[request, onEnd, signal]: Parameters<Call['forward']>) => forward(exchange, request, onEnd, signal),
		end() {
			hasEnded = true;
			return files?.remove();
		},
	});
}

/** Members that are created on demand, because most handlers use neither. They are own members: copies have them. */
class LazyMembers {
	declare readonly log: Logger;
	declare readonly signal: AbortSignal;
	readonly #exchange: Exchange;

	constructor(exchange: Exchange) {
		this.#exchange = exchange;
		Object.defineProperties(this, LazyMembers.#getters);
	}

	// All calls share these getters: V8 keeps an object that has a getter of its own in memory.
	static readonly #getters = {
		log: {
			enumerable: true,
			get(this: LazyMembers) {
				return this.#exchange.log;
			},
		},
		signal: {
			enumerable: true,
			get(this: LazyMembers) {
				return this.#exchange.signal;
			},
		},
	};
}

class RequestIdempotency implements Idempotency {
	readonly key?: string;
	readonly retry: number;
	declare readonly fingerprint: string;
	readonly #facts: () => object;
	#fingerprint: string | undefined;

	constructor(req: IncomingMessage, route: Route, facts: () => object) {
		const keys = headerValues(req, 'idempotency-key');
		const [key = ''] = keys;
		if (keys.length === 1 && idempotencyKeyPattern.test(key)) this.key = key;
		else if (keys.length > 0 && takesIdempotencyKey(route)) {
			throw invalidValue('Idempotency-Key', 'Idempotency-Key: 1 to 255 visible ASCII characters are expected, once.');
		}
		const retry = req.headers['x-stainless-retry-count'];
		this.retry = typeof retry === 'string' && /^(?:\d{1,2}|100)$/.test(retry) ? Number(retry) : 0;
		this.#facts = facts;
		Object.defineProperty(this, 'fingerprint', RequestIdempotency.#lazy);
	}

	// An own member with a shared getter, for the reasons of `LazyMembers`.
	static readonly #lazy = {
		enumerable: true,
		get(this: RequestIdempotency): string {
			this.#fingerprint ??= hash('sha256', canonical(this.#facts()));
			return this.#fingerprint;
		},
	};
}

function lastEventIdOf(req: IncomingMessage): string | undefined {
	const sent = headerValues(req, 'last-event-id');
	const [id = ''] = sent;
	if (sent.length > 1 || !lastEventIdPattern.test(id)) {
		throw invalidValue('Last-Event-ID', 'Last-Event-ID: at most 200 printable ASCII characters are expected, once.');
	}
	return id === '' ? undefined : id;
}

// A `fetch` request may have any text as its `content-length`.
function lengthOf({ headers }: IncomingMessage): number | undefined {
	const sent = headers['content-length'];
	return sent !== undefined && /^\d{1,15}$/.test(sent) ? Number(sent) : undefined;
}

/** JSON with sorted keys. Files are represented by hash and type, because a retry may encode their bytes anew. */
function canonical(value: unknown): string {
	if (isUpload(value)) return `file:${value.sha256}:${value.mediaType}`;
	// Hashing a long text costs less than copying it.
	if (typeof value === 'string' && value.length > 65_536) return `text:${hash('sha256', value)}`;
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
	const members = Object.entries(value)
		.filter(([, member]) => member !== undefined)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
	return `{${members.join(',')}}`;
}
