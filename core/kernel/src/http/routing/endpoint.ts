import { invalidValue } from '../../contract/errors/coded-error.ts';
import type { Middleware } from '../../contract/http/middleware.ts';
import { type Answer, isReply, Reply, withStatus } from '../../contract/http/reply.ts';
import type { Route } from '../../contract/http/route.ts';
import { endingWith } from '../answers/ending.ts';
import { discard } from '../answers/respond.ts';
import { type Body, BodyReader } from '../bodies/body.ts';
import type { Context } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import { scanBody } from '../passthrough/raw-body.ts';
import { answerCheck } from '../validation/check-answer.ts';
import { validate } from '../validation/validate.ts';
import { RouteCall } from './call.ts';
import { idempotencyOf } from './idempotency.ts';

const checkAnswer = answerCheck();

/** The parts of a request that a handler gets. */
interface Input {
	readonly params: unknown;
	readonly query: unknown;
}

/** One route made ready: runs the middleware, reads the body, checks all input and runs the handler. */
export class Endpoint {
	readonly #route: Route;
	readonly #middlewares: readonly Middleware[];
	readonly #bodies: BodyReader | undefined;
	readonly #paramNames: readonly string[];

	constructor(route: Route, middlewares: readonly Middleware[]) {
		this.#route = route;
		this.#middlewares = middlewares;
		this.#bodies = route.body ? new BodyReader(route) : undefined;
		this.#paramNames = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
	}

	/**
	 * Resolves with the answer. Rejects when the exchange is aborted, even if the handler goes on. `captures` are the
	 * percent-encoded parameters of the path.
	 */
	async run(ctx: Context, captures: readonly string[]): Promise<Answer> {
		const { method, path, timeoutMs = httpLimits.timeoutMs } = this.#route;
		const { exchange, entry } = ctx.state;
		exchange.setDeadline(timeoutMs);
		const raw = { params: this.#decode(captures), query: parseQuery(entry.target.query) };
		let body: Body | undefined;
		const facts = () => ({ route: `${method} ${path}`, ...raw, body: body?.value });
		// Before the body is read: a bad header should not cost an upload.
		const idempotency = idempotencyOf(exchange.req, this.#route, facts);
		const call = new RouteCall(ctx.state, this.#route, idempotency);
		return this.#runMiddleware(exchange, call, 0, async () => {
			const input = await this.#checkInput(raw);
			if (this.#route.precheck) await this.#route.precheck(call);
			if (!this.#bodies) return this.#handle(exchange, input, undefined, call);
			const whole = this.#route.forward ? await this.#bodies.readWhole(exchange) : undefined;
			if (whole) exchange.bodyRead();
			const seen = whole && scanBody(whole);
			const reply = seen && (await this.#forward(exchange, seen, call));
			if (reply) return reply;
			body =
				(seen && this.#bodies.take(seen)) ?? (await (whole ? this.#bodies.replay(whole, ctx) : this.#bodies.read(ctx)));
			exchange.bodyRead();
			return this.#handle(exchange, input, body, call);
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
		if (!middleware) return core();
		let inner: Promise<Answer> | undefined;
		const next = () => {
			if (inner) throw new Error('A middleware called next() twice.');
			inner = this.#runMiddleware(exchange, call, index + 1, core);
			return inner;
		};
		const work = (async () => middleware(call, next))();
		const reply = await this.#orAbort(exchange, work).catch((error) => {
			inner?.then(
				(late) => discard(exchange, late),
				() => {},
			);
			throw error;
		});
		if (!isReply(reply)) throw new Error('A middleware returned no reply.');
		const replaced = inner && (await inner.catch(() => undefined));
		if (replaced && !isSame(replaced, reply)) discard(exchange, replaced);
		return withStatus(reply, this.#route.response.status ?? 200);
	}

	async #forward(
		exchange: Exchange,
		raw: NonNullable<ReturnType<typeof scanBody>>,
		call: RouteCall,
	): Promise<Answer | undefined> {
		const work = (async () => this.#route.forward?.(raw, call))();
		// Undefined: the route wants the body checked, and its handler called.
		const ended = work.then(
			(reply) => reply && release(undefined, call),
			() => release(undefined, call),
		);
		const reply = await this.#orAbort(exchange, work);
		if (reply) await ended;
		return reply && withStatus(reply, 200);
	}

	async #handle(exchange: Exchange, input: Input, body: Body | undefined, call: RouteCall): Promise<Answer> {
		return this.#orAbort(exchange, this.#callHandler(input, body, call));
	}

	/** Settles as `work` does, or rejects when the exchange is aborted; the late answer is then discarded. */
	async #orAbort<T>(exchange: Exchange, work: Promise<T>): Promise<T> {
		try {
			return await exchange.orAbort(work);
		} catch (error) {
			exchange.waitFor(work.then((late) => discard(exchange, late)));
			throw error;
		}
	}

	async #callHandler(input: Input, raw: Body | undefined, call: RouteCall): Promise<Answer> {
		const route = this.#route;
		const status = route.response.status ?? 200;
		try {
			const body = route.body && (await validate(route.body, raw?.value, 'The body'));
			const result = await route.handler({ ...input, body }, call);
			const answer = withStatus(toReply(result, route.response.status), status);
			if (checkAnswer) await checkAnswer(route, answer);
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

	async #checkInput(raw: Input): Promise<Input> {
		const { params, query } = this.#route;
		return {
			params: params && (await validate(params, raw.params, 'The path')),
			query: query && (await validate(query, raw.query, 'The query')),
		};
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

function toReply(result: unknown, status?: number): Reply {
	if (isReply(result)) return result;
	return result === undefined ? Reply.empty(status ?? 204) : Reply.json(result);
}

/** Whether a middleware passed on the answer that it got, perhaps with other headers. */
function isSame(one: Reply, other: Reply): boolean {
	if (one.type === 'events') return other.type === 'events' && other.events === one.events;
	if (one.type === 'binary') return other.type === 'binary' && other.source === one.source;
	return true;
}

async function release(body: Body | undefined, call: RouteCall): Promise<void> {
	const [kept, sent] = [call.end(), body?.release()];
	if (!kept && !sent) return;
	await Promise.all([kept, sent]).catch((err: unknown) =>
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
