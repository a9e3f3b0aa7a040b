import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import { isReply, type Reply } from '../contract/http/reply.ts';
import type { Call, Route } from '../contract/http/route.ts';
import type { Idempotency } from '../contract/jobs/job-store.ts';
import type { Principal } from '../contract/ports/authenticator.ts';
import type { RawBody } from '../contract/ports/forward.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { endingWith } from './answers/ending.ts';
import { discard } from './answers/respond.ts';
import { lastEventIdOf } from './answers/sse.ts';
import { type Body, BodyReader } from './bodies/body.ts';
import { KeptFiles } from './bodies/kept-files.ts';
import type { Exchange } from './exchange.ts';
import { idempotencyOf } from './idempotency.ts';
import { httpLimits } from './limits.ts';
import { forward } from './passthrough/forward.ts';
import { scanBody } from './passthrough/raw-body.ts';
import { decodeParams } from './router.ts';
import { validate } from './validation/validate.ts';

/** What a request brings to its route. */
export interface RouteContext {
	readonly principal: Principal;
	/** Percent-encoded, as the router found them. */
	readonly captures: Readonly<Record<string, string>>;
	/** Without the question mark. */
	readonly query: string;
	readonly publicUrl: string;
	/** Made for requests with a body: only koa-body asks for it. */
	readonly context: () => Koa.Context;
}

/** One route made ready: reads the body, checks all input and runs the handler. */
export class Endpoint {
	readonly #route: Route;
	readonly #bodies: BodyReader | undefined;

	constructor(route: Route) {
		this.#route = route;
		this.#bodies = route.body ? new BodyReader(route) : undefined;
	}

	/** Resolves with what the handler returned. Rejects when the exchange is aborted, even if the handler goes on. */
	async run(exchange: Exchange, visit: RouteContext): Promise<unknown> {
		const { method, path, params, query, timeoutMs = httpLimits.timeoutMs } = this.#route;
		exchange.setDeadline(timeoutMs);
		const raw = { params: decodeParams(visit.captures), query: parseQuery(visit.query) };
		let body: Body | undefined;
		const facts = () => ({ route: `${method} ${path}`, ...raw, body: body?.value });
		// Before the body is read: a bad header should not cost an upload.
		const idempotency = idempotencyOf(exchange.req, this.#route, facts);
		const headers = { idempotency, lastEventId: lastEventIdOf(exchange.req, this.#route) };
		const call = new CallOf(exchange, visit, exchange.startedAt + timeoutMs, headers);
		const checked = {
			params: params && (await validate(params, raw.params, 'The path')),
			query: query && (await validate(query, raw.query, 'The query')),
		};
		if (this.#route.precheck) await this.#route.precheck(call);
		if (this.#bodies) {
			const whole = this.#route.forward ? await this.#bodies.readWhole(exchange) : undefined;
			if (whole) exchange.bodyRead();
			const seen = whole && scanBody(whole);
			const reply = seen && (await this.#forward(exchange, seen, call));
			if (reply) return reply;
			body =
				(seen && this.#bodies.take(seen)) ??
				(await (whole
					? this.#bodies.replay(whole, visit.context, exchange)
					: this.#bodies.read(visit.context, exchange)));
			exchange.bodyRead();
		}
		return this.#handle(exchange, checked, body, call);
	}

	/** Undefined: the route wants the body checked, and its handler called. */
	async #forward(exchange: Exchange, raw: RawBody, call: CallOf): Promise<Reply | undefined> {
		const work = (async () => this.#route.forward?.(raw, call))();
		try {
			const reply = await exchange.orAbort(work);
			if (reply) await release(undefined, call);
			return reply;
		} catch (error) {
			exchange.waitFor(
				work.then(
					(late) => {
						discard(exchange, late);
						return release(undefined, call);
					},
					() => release(undefined, call),
				),
			);
			throw error;
		}
	}

	async #handle(
		exchange: Exchange,
		checked: { readonly params: unknown; readonly query: unknown },
		raw: Body | undefined,
		call: CallOf,
	): Promise<unknown> {
		const work = this.#work(checked, raw, call);
		try {
			return await exchange.orAbort(work);
		} catch (error) {
			exchange.waitFor(work.then((late) => discard(exchange, late)));
			throw error;
		}
	}

	async #work(
		checked: { readonly params: unknown; readonly query: unknown },
		raw: Body | undefined,
		call: CallOf,
	): Promise<unknown> {
		const route = this.#route;
		try {
			const body = route.body && (await validate(route.body, raw?.value, 'The body'));
			const result = await route.handler({ ...checked, body }, call);
			// Events are made while they are sent, of files that came with the request or are still to be kept.
			if (isReply(result) && result.type === 'events') {
				return { ...result, events: endingWith(result.events, () => release(raw, call)) };
			}
			await release(raw, call);
			return result;
		} catch (error) {
			// A handler that does not heed its signal still reads its files: they go when it has settled, not when we give up.
			await release(raw, call);
			throw error;
		}
	}
}

async function release(body: Body | undefined, call: CallOf): Promise<void> {
	const [kept, sent] = [call.end(), body?.release()];
	if (!kept && !sent) return;
	await Promise.all([kept, sent]).catch((err: unknown) =>
		// The answer stands: the handler may have stored a record.
		call.log.warn(
			{ err },
			'the files of an upload could not be deleted; the next start tries again',
		),
	);
}

/** What a handler learns of its surroundings. */
class CallOf implements Call {
	readonly principal: Principal;
	readonly requestId: string;
	declare readonly log: Logger;
	declare readonly signal: AbortSignal;
	readonly deadline: number;
	readonly publicUrl: string;
	readonly bodyBytes: number | undefined;
	readonly idempotency: Idempotency;
	readonly lastEventId: string | undefined;
	// Own members, so that copies have them.
	readonly keep: Call['keep'] = (body, options) => this.#files.keep(body, options);
	readonly answeredBy: Call['answeredBy'] = (model) => {
		this.#exchange.model = model;
	};
	readonly forward: Call['forward'] = (request, over, signal) =>
		forward(this.#exchange, request, over, signal);
	readonly #exchange: Exchange;
	#kept: KeptFiles | undefined;
	#isOver = false;

	constructor(
		exchange: Exchange,
		visit: RouteContext,
		deadline: number,
		headers: Pick<Call, 'idempotency' | 'lastEventId'>,
	) {
		this.principal = visit.principal;
		this.requestId = exchange.requestId;
		this.deadline = deadline;
		this.publicUrl = visit.publicUrl;
		this.bodyBytes = lengthOf(exchange.req);
		this.idempotency = headers.idempotency;
		this.lastEventId = headers.lastEventId;
		this.#exchange = exchange;
		Object.defineProperties(this, CallOf.#own);
	}

	/** Deletes the files that were kept. Nothing is kept any more. */
	end(): Promise<void> | undefined {
		this.#isOver = true;
		return this.#kept?.remove();
	}

	get #files(): KeptFiles {
		if (!this.#kept) {
			this.#kept = new KeptFiles(this.#exchange);
			if (this.#isOver) void this.#kept.remove();
		}
		return this.#kept;
	}

	// Made when they are asked for: most handlers log nothing and are done before anything could be aborted. Own members too, and one function each for all: getters written into a literal give each object a shape of its own, which
	// outlives the request and keeps it in memory.
	static readonly #own = {
		log: {
			enumerable: true,
			get(this: CallOf): Logger {
				return this.#exchange.log;
			},
		},
		signal: {
			enumerable: true,
			get(this: CallOf): AbortSignal {
				return this.#exchange.signal;
			},
		},
	};
}

// What is no length, as only `fetch` can bring it, says nothing.
function lengthOf({ headers }: IncomingMessage): number | undefined {
	const sent = headers['content-length'];
	return sent !== undefined && /^\d{1,15}$/.test(sent) ? Number(sent) : undefined;
}

// Without a prototype, for a name may be `__proto__`. A name that comes several times is an array.
function parseQuery(text: string): Record<string, unknown> {
	const query: Record<string, unknown> = Object.create(null);
	if (text === '') return query;
	// One pass: asking for the values of each name by itself would cost the square of their number, before any key is asked for.
	for (const [name, value] of new URLSearchParams(text)) {
		const before = query[name];
		if (before === undefined) query[name] = value;
		else if (Array.isArray(before)) before.push(value);
		else query[name] = [before, value];
	}
	return query;
}
