import type { IncomingMessage } from 'node:http';
import { Reply } from '../../contract/http/reply.ts';
import { respond } from '../answers/respond.ts';
import type { Context, Next } from '../context.ts';
import type { RouteTable } from '../routing/table.ts';

/** What a page may read of an answer beside its body. */
const exposed =
	'content-disposition, content-range, etag, idempotent-replayed, openai-poll-after-ms, openai-processing-ms, ' +
	'retry-after, retry-after-ms, x-plinth-model, x-request-id, x-should-retry';

/** How long a browser remembers the answer to a preflight, in seconds. */
const preflightSeconds = 600;

/** Lets pages of the listed origins read answers (WHATWG Fetch, "CORS protocol"), without credentials. `*`: all. */
export class Cors {
	readonly #origins: ReadonlySet<string>;
	readonly #routes: RouteTable;

	constructor(origins: readonly string[], routes: RouteTable) {
		this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
		this.#routes = routes;
	}

	/** Marks the answer, and answers the preflight of a listed page. */
	handle(ctx: Context, next: Next): Promise<unknown> {
		const { req, state } = ctx;
		if (!this.#mark(ctx) || !isPreflight(req)) return next();
		const found = this.#routes.find(state.entry.target.path);
		state.exchange.route = found?.template;
		// Refused here, an unknown path would be a CORS error in the browser. The request itself is answered 404.
		const methods = found?.endpoints.keys() ?? [String(req.headers['access-control-request-method'])];
		return respond(state.exchange, Reply.empty(204, this.#preflight(req, [...methods])));
	}

	/** True: the request's page is of a listed origin. */
	#mark(ctx: Context): boolean {
		const { req, res } = ctx;
		const isOpen = this.#origins.has('*');
		// Also without an Origin: a cache must not hand such an answer to a page that may not read it.
		if (!isOpen) ctx.vary('Origin');
		const { origin } = req.headers;
		if (origin === undefined || !(isOpen || this.#origins.has(origin.toLowerCase()))) return false;
		res.setHeader('access-control-allow-origin', isOpen ? '*' : origin);
		res.setHeader('access-control-expose-headers', exposed);
		return true;
	}

	/** Every header may be sent, for clients send many of their own. */
	#preflight(req: IncomingMessage, methods: readonly string[]): Readonly<Record<string, string>> {
		const wanted = req.headers['access-control-request-headers'];
		return {
			'access-control-allow-methods': methods.join(', '),
			...(wanted === undefined ? {} : { 'access-control-allow-headers': wanted }),
			'access-control-max-age': String(preflightSeconds),
			'content-length': '0',
			vary: 'Origin, Access-Control-Request-Headers',
		};
	}
}

/** Whether this is the request before a cross-origin request. It carries no key. */
function isPreflight({ method, headers }: IncomingMessage): boolean {
	return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
