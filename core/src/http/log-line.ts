import type { Exchange } from './exchange.ts';

/** What the log says of a request that is over. Nothing that the client has sent but its method; the path stands there as its template. */
export function logLine(exchange: Exchange): object {
	const { req, res, clock, principal, startedAt } = exchange;
	return {
		req_id: exchange.requestId,
		method: req.method,
		route: exchange.route,
		// 499 is nginx's: the client left. It says that nothing failed here.
		status: exchange.left ? 499 : res.statusCode,
		dur_ms: clock.now() - startedAt,
		tenant: principal?.tenant,
		principal: principal?.id,
		model: exchange.model,
		usage: exchange.usage,
		cut: exchange.isCut || undefined,
	};
}
