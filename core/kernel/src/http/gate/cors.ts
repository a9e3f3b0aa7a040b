import type { IncomingMessage } from 'node:http';
import { Reply } from '../../contract/http/reply.ts';
import { respond } from '../answers/respond.ts';
import type { HttpMiddleware } from '../context.ts';
import type { RouteTable } from '../routing/table.ts';

const exposed =
	'content-disposition, content-range, etag, idempotent-replayed, openai-poll-after-ms, openai-processing-ms, ' +
	'retry-after, retry-after-ms, x-plinth-model, x-plinth-warnings, x-request-id, x-should-retry';

const preflightSeconds = 600;

/**
 * The middleware that lets pages of the listed origins read responses (WHATWG Fetch, "CORS protocol"), without
 * credentials, and responds to their preflights, which have no key. `*`: all origins.
 */
export function cors(listed: readonly string[], routes: RouteTable): HttpMiddleware {
	const origins = new Set(listed.map((origin) => origin.toLowerCase()));
	const isOpen = origins.has('*');
	return (ctx, next) => {
		const { req, res, state } = ctx;
		// Also without an Origin: a cache must not send such a response to a page that may not read it.
		if (!isOpen) ctx.vary('Origin');
		const { origin, 'access-control-request-method': method } = req.headers;
		if (origin === undefined || !(isOpen || origins.has(origin.toLowerCase()))) return next();
		res.setHeader('access-control-allow-origin', isOpen ? '*' : origin);
		res.setHeader('access-control-expose-headers', exposed);
		if (req.method !== 'OPTIONS' || method === undefined) return next();
		const pathEntry = routes.find(state.entry.target.path);
		state.exchange.route = pathEntry?.template;
		// A refused preflight would be a CORS error in the browser. For an unknown path, the request itself gets a 404.
		const methods = pathEntry ? [...pathEntry.endpoints.keys()].join(', ') : method;
		return respond(state.exchange, Reply.empty(204, preflightHeaders(req, methods)));
	};
}

/** Allows every requested header, because clients send many headers of their own. */
function preflightHeaders(req: IncomingMessage, methods: string): Readonly<Record<string, string>> {
	const requested = req.headers['access-control-request-headers'];
	return {
		'access-control-allow-methods': methods,
		...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
		'access-control-max-age': String(preflightSeconds),
		'content-length': '0',
		vary: 'Origin, Access-Control-Request-Headers',
	};
}
