import type Koa from 'koa';
import { orAbort } from '../abort.ts';
import type { Principal } from '../ports/authenticator.ts';
import { type Body, BodyReader } from './body.ts';
import type { Exchange } from './exchange.ts';
import { idempotencyOf } from './idempotency.ts';
import { httpLimits } from './limits.ts';
import { discard } from './respond.ts';
import type { Call, Route } from './route.ts';
import { decodeParams } from './router.ts';
import { validate } from './validate.ts';

/** What a request brings to its route. */
export interface Visit {
	readonly principal: Principal;
	/** Percent-encoded, as the router found them. */
	readonly captures: Readonly<Record<string, string>>;
	/** Without the question mark. */
	readonly query: string;
	readonly publicUrl: string;
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
	async run(ctx: Koa.Context, exchange: Exchange, visit: Visit): Promise<unknown> {
		const { method, path, params, query, timeoutMs = httpLimits.timeoutMs } = this.#route;
		exchange.setDeadline(timeoutMs);
		const raw = { params: decodeParams(visit.captures), query: parseQuery(visit.query) };
		let body: Body | undefined;
		const call: Call = {
			principal: visit.principal,
			requestId: exchange.requestId,
			// Made when it is asked for: most handlers log nothing.
			get log() {
				return exchange.log;
			},
			signal: exchange.signal,
			deadline: exchange.startedAt + timeoutMs,
			publicUrl: visit.publicUrl,
			// Before the body is read: a bad header should not cost an upload.
			idempotency: idempotencyOf(ctx.req, this.#route, () => ({
				route: `${method} ${path}`,
				...raw,
				body: body?.value,
			})),
		};
		const checked = {
			params: params && (await validate(params, raw.params, 'The path')),
			query: query && (await validate(query, raw.query, 'The query')),
		};
		await this.#route.admit?.(call);
		body = await this.#bodies?.read(ctx, exchange);
		exchange.bodyRead();
		return this.#handle(exchange, checked, body, call);
	}

	async #handle(
		exchange: Exchange,
		checked: { readonly params: unknown; readonly query: unknown },
		raw: Body | undefined,
		call: Call,
	): Promise<unknown> {
		const route = this.#route;
		const run = async () => {
			const body = route.body && (await validate(route.body, raw?.value, 'The body'));
			return route.handler({ ...checked, body }, call);
		};
		// A handler that does not heed its signal still reads its files: they go when it has settled, not when we give up.
		const work = run().finally(() => raw?.release());
		exchange.hold(work);
		try {
			return await orAbort(exchange.signal, work);
		} catch (error) {
			work.then((late) => discard(exchange, late)).catch(() => {});
			throw error;
		}
	}
}

// Without a prototype, for a name may be `__proto__`. A name that comes several times is an array.
function parseQuery(text: string): Record<string, unknown> {
	const query: Record<string, unknown> = Object.create(null);
	if (text === '') return query;
	const search = new URLSearchParams(text);
	for (const name of new Set(search.keys())) {
		const values = search.getAll(name);
		query[name] = values.length === 1 ? values[0] : values;
	}
	return query;
}
