import type { z } from 'zod';
import { invalidValue, plinthError } from '../../contract/errors/coded-error.ts';
import type { Middleware } from '../../contract/http/middleware.ts';
import { type Answer, isReply, Reply, withStatus } from '../../contract/http/reply.ts';
import type { Route } from '../../contract/http/route.ts';
import { discard, endingWith } from '../answers/respond.ts';
import { type Body, BodyReader } from '../bodies/body.ts';
import type { Context } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import { scanBody } from '../passthrough/raw-body.ts';
import { unknownMembers } from '../validation/unknown-members.ts';
import { checkAnswer, validate } from '../validation/validate.ts';
import { createCall, type RouteCall } from './call.ts';

/** One route made ready: runs the middleware, reads the body, checks all input and runs the handler. */
export class Endpoint {
	readonly route: Route;
	readonly #middlewares: readonly Middleware[];
	readonly #bodies: BodyReader | undefined;
	readonly #paramNames: readonly string[];
	readonly #checksAnswers = process.env.NODE_ENV !== 'production';
	readonly #refusesUnknown: boolean;

	constructor(route: Route, middlewares: readonly Middleware[], refusesUnknown: boolean) {
		this.route = route;
		this.#refusesUnknown = refusesUnknown;
		this.#middlewares = middlewares;
		this.#bodies = route.body ? new BodyReader(route) : undefined;
		this.#paramNames = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
	}

	/**
	 * Resolves with the answer. Rejects when the exchange is aborted, even if the handler goes on. `captures` are the
	 * percent-encoded parameters of the path.
	 */
	async run(ctx: Context, captures: readonly string[]): Promise<Answer> {
		const route = this.route;
		const { exchange, entry } = ctx.state;
		exchange.setDeadline(route.timeoutMs ?? httpLimits.timeoutMs);
		const sent = { params: this.#decode(captures), query: parseQuery(entry.target.query) };
		let body: Body | undefined;
		// Before the body is read: a bad header should not cost an upload.
		const call = createCall(ctx.state, route, () => ({ ...sent, body: body?.value }));
		return await this.#runMiddleware(exchange, call, 0, async () => {
			const input = {
				params: route.params && (await validate(route.params, sent.params, 'The path')),
				query: route.query && (await validate(route.query, sent.query, 'The query')),
			};
			if (route.precheck) await route.precheck(call);
			if (this.#bodies) {
				const read = await this.#readBody(this.#bodies, ctx, call);
				if (!('release' in read)) return withStatus(read, 200);
				body = read;
				exchange.bodyRead();
			}
			return await orAbort(exchange, this.#callHandler(input, body, call, exchange));
		});
	}

	/** Runs the middleware from `index` on, each around the next one, and `core` inside all of them. */
	async #runMiddleware(
		exchange: Exchange,
		call: RouteCall,
		index: number,
		core: () => Promise<Answer>,
	): Promise<Answer> {
		const middleware = this.#middlewares[index];
		if (!middleware) return await core();
		let inner: Promise<Answer> | undefined;
		const next = () => {
			if (inner) throw new Error('A middleware called next() twice.');
			inner = this.#runMiddleware(exchange, call, index + 1, core);
			return inner;
		};
		try {
			const reply = await orAbort(exchange, (async () => middleware(call, next))());
			if (!isReply(reply)) throw new Error('A middleware returned no reply.');
			const replaced = await inner?.catch(() => undefined);
			if (replaced && !isSame(replaced, reply)) discard(exchange, replaced);
			return withStatus(reply, this.route.response.status ?? 200);
		} catch (error) {
			inner?.then(
				(late) => discard(exchange, late),
				() => {},
			);
			throw error;
		}
	}

	/** The body, or the reply of the route's `forward`, which gets a short JSON body as it was sent. */
	async #readBody(bodies: BodyReader, ctx: Context, call: RouteCall): Promise<Body | Reply> {
		const { exchange } = ctx.state;
		const whole = this.route.forward && (await bodies.readWhole(exchange));
		if (!whole) return bodies.read(ctx);
		exchange.bodyRead();
		const raw = scanBody(whole);
		if (!raw) return bodies.replay(whole, ctx);
		const work = (async () => await this.route.forward?.(raw, call))();
		// Undefined: the route wants the body checked, and its handler called.
		const ended = work.then(
			(reply) => reply && release(undefined, call),
			() => release(undefined, call),
		);
		const reply = await orAbort(exchange, work);
		if (!reply) return bodies.take(raw) ?? bodies.replay(whole, ctx);
		await ended;
		return reply;
	}

	async #callHandler(
		input: { readonly params: unknown; readonly query: unknown },
		raw: Body | undefined,
		call: RouteCall,
		exchange: Exchange,
	): Promise<Answer> {
		const route = this.route;
		const { status } = route.response;
		try {
			const body = route.body && (await validate(route.body, raw?.value));
			if (route.body) this.#noteUnknown(route.body, raw?.value, call, exchange);
			const result = await route.handler({ ...input, body }, call);
			const answer = withWarnings(route, withStatus(toReply(result, status), status ?? 200), call.warnings);
			if (this.#checksAnswers) await checkAnswer(route, answer);
			// The events are made while they are sent, from files that live as long.
			if (answer.type === 'events') {
				return { ...answer, events: endingWith(answer.events, () => release(raw, call)) };
			}
			await release(raw, call);
			return answer;
		} catch (error) {
			// A handler that ignores its signal still reads its files: they are deleted when it has settled.
			await release(raw, call);
			throw error;
		}
	}

	/** Members of the body that the route does not know are warnings, or errors where the config says so. */
	#noteUnknown(schema: z.ZodType, value: unknown, call: RouteCall, exchange: Exchange): void {
		const found = unknownMembers(schema, value);
		if (found.length === 0) return;
		exchange.unknownMembers = found.map(({ name }) => name);
		for (const { name, hint } of found) {
			if (this.#refusesUnknown) {
				throw plinthError('E_VALUE_UNKNOWN', { param: name, message: `${name}: there is no such parameter.${hint}` });
			}
			call.warnings.push(`${name}: the server does not know this parameter and ignored it.${hint}`);
		}
	}

	#decode(captures: readonly string[]): Record<string, string> {
		const params: Record<string, string> = Object.create(null);
		for (const [at, name] of this.#paramNames.entries()) {
			try {
				params[name] = decodeURIComponent(captures[at] ?? '');
			} catch {
				throw invalidValue(name, `${name}: the percent-encoding in the path is malformed.`);
			}
		}
		return params;
	}
}

/** Settles as `work` does, or rejects when the exchange is aborted; the late answer is then discarded. */
async function orAbort<T>(exchange: Exchange, work: Promise<T>): Promise<T> {
	try {
		return await exchange.orAbort(work);
	} catch (error) {
		exchange.waitFor(work.then((late) => discard(exchange, late)));
		throw error;
	}
}

function toReply(result: unknown, status?: number): Reply {
	if (isReply(result)) return result;
	return result === undefined ? Reply.empty(status ?? 204) : Reply.json(result);
}

/** Adds warnings about the request to a JSON answer whose schema has a list of them. */
function withWarnings({ response }: Route, answer: Answer, warnings: readonly string[]): Answer {
	const { shape } = (response.schema ?? {}) as { readonly shape?: Readonly<Record<string, unknown>> };
	if (warnings.length === 0 || answer.type !== 'json' || answer.status >= 300 || !shape?.warnings) return answer;
	const value = answer.value as { readonly warnings?: readonly string[] };
	return { ...answer, value: { ...value, warnings: [...new Set([...(value.warnings ?? []), ...warnings])] } };
}

/** Whether a middleware passed on the answer that it got, perhaps with other headers. */
function isSame(one: Reply, other: Reply): boolean {
	if (one.type === 'events') return other.type === 'events' && other.events === one.events;
	if (one.type === 'binary') return other.type === 'binary' && other.source === one.source;
	return true;
}

/** Deletes what is left of the files of a request. Never rejects; resolves with nothing when there are none. */
async function release(body: Body | undefined, call: RouteCall): Promise<void> {
	const deleting = [call.end(), body?.release()].filter((work) => work !== undefined);
	if (deleting.length === 0) return;
	await Promise.all(deleting).catch((err: unknown) =>
		// The answer stands: the handler may have stored a record.
		call.log.warn({ err }, 'the files of an upload could not be deleted; the next start tries again'),
	);
}

// Without a prototype, for a name may be `__proto__`. A name that comes several times is an array.
function parseQuery(text: string): Record<string, unknown> {
	const query: Record<string, unknown> = Object.create(null);
	if (text === '') return query;
	// One pass: asking for the values of each name would cost the square of their number, before any key is checked.
	for (const [name, value] of new URLSearchParams(text)) {
		const before = query[name];
		if (before === undefined) query[name] = value;
		else if (Array.isArray(before)) before.push(value);
		else query[name] = [before, value];
	}
	return query;
}
