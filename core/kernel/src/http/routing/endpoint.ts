import { parse as parseQuery } from 'node:querystring';
import type { z } from 'zod';
import { invalidValue, plinthError } from '../../contract/errors/coded-error.ts';
import { type Answer, isReply, Reply, withStatus } from '../../contract/http/reply.ts';
import type { Middleware, Route } from '../../contract/http/route.ts';
import { discard, endingWith } from '../answers/respond.ts';
import { BodyReader } from '../bodies/body.ts';
import type { Body, Context } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import { scanBody } from '../passthrough/raw-body.ts';
import { checkAnswer, unknownMembers, validate } from '../validation/validate.ts';
import { createCall, type RouteCall } from './call.ts';

type Input = Readonly<Record<'params' | 'query', unknown>>;

/** Executes one route: runs the middleware, reads the body, checks all input and calls the handler. */
export class Endpoint {
	readonly route: Route;
	readonly #middlewares: readonly Middleware[];
	readonly #bodyReader: BodyReader | undefined;
	readonly #paramNames: readonly string[];
	readonly #checksAnswers = process.env.NODE_ENV !== 'production';
	readonly #refusesUnknown: boolean;

	constructor(route: Route, middlewares: readonly Middleware[], refusesUnknown: boolean) {
		this.route = route;
		this.#refusesUnknown = refusesUnknown;
		this.#middlewares = middlewares;
		this.#bodyReader = route.body ? new BodyReader(route) : undefined;
		this.#paramNames = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
	}

	/**
	 * Resolves with the answer. Rejects when the exchange is aborted, even if the handler continues. `captures` are the
	 * percent-encoded parameters of the path.
	 */
	async run(ctx: Context, captures: readonly string[]): Promise<Answer> {
		const route = this.route;
		const { exchange, entry } = ctx.state;
		exchange.setDeadline(route.timeoutMs ?? httpLimits.timeoutMs);
		const query = parseQuery(entry.target.query, '&', '=', { maxKeys: 0 });
		const sent = { params: this.#decode(captures), query };
		let body: Body | undefined;
		// Before the body is read, so that a request with a bad header is refused before its upload.
		const call = createCall(ctx.state, route, () => ({ ...sent, body: body?.value }));
		return await this.#runMiddleware(exchange, call, async () => {
			try {
				const input = {
					params: route.params && (await validate(route.params, sent.params, 'The path')),
					query: route.query && (await validate(route.query, sent.query, 'The query')),
				};
				if (route.precheck) await route.precheck(call);
				if (this.#bodyReader) {
					const read = await this.#readBody(this.#bodyReader, ctx, call);
					if (!('release' in read)) return withStatus(read, 200);
					body = read;
					exchange.markBodyRead();
				}
				return await this.#callHandler(input, body, call, exchange);
			} catch (error) {
				// A handler that ignores its signal still reads its files: they are deleted when it has settled.
				await release(body, call);
				throw error;
			}
		});
	}

	/** Runs the middleware from `index` on, each around the next one, and `core` inside all of them. */
	async #runMiddleware(exchange: Exchange, call: RouteCall, core: () => Promise<Answer>, index = 0): Promise<Answer> {
		const middleware = this.#middlewares[index];
		if (!middleware) {
			const work = core();
			// The reading of a body ends by itself after an abort: its files are deleted before the client gets the error.
			return await orAbort(exchange, work).catch((error) => (exchange.waitsForBody ? work : Promise.reject(error)));
		}
		let inner: Promise<Answer> | undefined;
		const next = () => {
			if (inner) throw new Error('A middleware called next() twice.');
			inner = this.#runMiddleware(exchange, call, core, index + 1);
			return inner;
		};
		try {
			const reply = await orAbort(exchange, (async () => middleware(call, next))());
			if (!isReply(reply)) throw new Error('A middleware returned no reply.');
			const replaced = await inner?.catch(() => undefined);
			if (replaced && !isSame(replaced, reply)) discard(exchange, replaced);
			const answer = withStatus(reply, this.route.response.status ?? 200);
			return inner ? answer : await releasing(answer, undefined, call);
		} catch (error) {
			inner?.then((late) => discard(exchange, late)).catch(() => {});
			if (!inner) await release(undefined, call);
			throw error;
		}
	}

	/** The body, or the reply of the route's `forward`, which gets a short JSON body as it was sent. */
	async #readBody(bodies: BodyReader, ctx: Context, call: RouteCall): Promise<Body | Reply> {
		const { exchange } = ctx.state;
		const bytes = this.route.forward && (await bodies.readWhole(exchange));
		if (!bytes) return bodies.read(ctx);
		exchange.markBodyRead();
		const raw = scanBody(bytes);
		if (!raw) return bodies.replay(bytes, ctx);
		const reply = await this.route.forward?.(raw, call);
		// Without a reply, the body is checked and the handler is called.
		if (!reply) return bodies.fromParsed(raw) ?? bodies.replay(bytes, ctx);
		await release(undefined, call);
		return reply;
	}

	async #callHandler(input: Input, raw: Body | undefined, call: RouteCall, exchange: Exchange): Promise<Answer> {
		const route = this.route;
		const { status } = route.response;
		const body = route.body && (await validate(route.body, raw?.value));
		if (route.body) this.#noteUnknown(route.body, raw?.value, call, exchange);
		if (exchange.aborted) throw exchange.reason;
		const result = await route.handler({ ...input, body }, call);
		const answer = withWarnings(route, withStatus(toReply(result, status), status ?? 200), call.warnings);
		if (this.#checksAnswers) await checkAnswer(route, answer);
		return await releasing(answer, raw, call);
	}

	/** Members of the body that the route does not know are warnings, or errors where the config says so. */
	#noteUnknown(schema: z.ZodType, value: unknown, call: RouteCall, exchange: Exchange): void {
		const unknown = unknownMembers(schema, value);
		if (unknown.length === 0) return;
		exchange.unknownMembers = unknown.map(({ name }) => name);
		for (const { name, hint } of unknown) {
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

/** Settles as `work` does, or rejects when the exchange is aborted; a later answer of `work` is then discarded. */
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

/** Adds warnings about the request: to a JSON answer whose schema has a list of warnings, else to the headers. */
function withWarnings({ response }: Route, answer: Answer, warnings: readonly string[]): Answer {
	const { shape } = (response.schema ?? {}) as { readonly shape?: Readonly<Record<string, unknown>> };
	if (warnings.length === 0 || answer.type === 'forward' || answer.status >= 300) return answer;
	if (answer.type !== 'json' || !shape?.warnings) {
		return { ...answer, headers: { ...answer.headers, 'x-plinth-warnings': headerText(warnings) } };
	}
	const value = answer.value as { readonly warnings?: readonly string[] };
	return { ...answer, value: { ...value, warnings: [...new Set([...(value.warnings ?? []), ...warnings])] } };
}

/** A JSON array in ASCII. Texts beyond 2,000 bytes are left out, because proxies limit the size of a head. */
function headerText(texts: readonly string[]): string {
	const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
	const all = texts.map((_, at) => JSON.stringify(texts.slice(0, at + 1)).replace(/[^ -~]/g, escaped));
	return all.findLast((text) => text.length <= 2_000) ?? '[]';
}

/** Whether a middleware returned the reply of `next`, perhaps with other headers. */
function isSame(one: Reply, other: Reply): boolean {
	if (one.type === 'events') return other.type === 'events' && other.events === one.events;
	if (one.type === 'binary') return other.type === 'binary' && other.source === one.source;
	return true;
}

/** Deletes the files of a request; those of events at their end, because events are made while they are sent. */
async function releasing(answer: Answer, body: Body | undefined, call: RouteCall): Promise<Answer> {
	if (answer.type === 'events') return { ...answer, events: endingWith(answer.events, () => release(body, call)) };
	await release(body, call);
	return answer;
}

/** Deletes the files of a request. Never rejects. */
async function release(body: Body | undefined, call: RouteCall): Promise<void> {
	const deleting = [call.end(), body?.release()].filter((work) => work !== undefined);
	if (deleting.length === 0) return;
	await Promise.all(deleting).catch((err: unknown) =>
		// The request still succeeds, because the handler may have stored a record.
		call.log.warn({ err }, 'the files of an upload could not be deleted; the next start tries again'),
	);
}
