import type { Logger } from '../../contract/ports/logger.ts';
import type { Exchange } from '../exchange.ts';
import { probePaths } from '../routing/system.ts';

/** How many kinds of requests have loggers of their own. Beyond it they are made anew. */
const mostLoggers = 1_000;

/**
 * Writes the line of each request that is over. Nothing is in it that the client has sent but its method; the path
 * stands there as its template. What many requests have in common is bound to a logger of theirs, so that it is
 * looked through for secrets and spelled once for all of them.
 */
export class RequestLog {
	readonly #log: Logger;
	readonly #loggers = new Map<string, Logger>();

	constructor(log: Logger) {
		this.#log = log;
	}

	write(exchange: Exchange): void {
		const { res, clock, requestId, route = 'unmatched', startedAt, usage } = exchange;
		const line = {
			req_id: requestId,
			// 499 is nginx's: the client left. It says that nothing failed here.
			status: exchange.left ? 499 : res.statusCode,
			dur_ms: clock.now() - startedAt,
			usage,
			cut: exchange.isCut || undefined,
		};
		const log = this.#loggerOf(exchange);
		if (probePaths.includes(route)) log.debug(line, 'request');
		else log.info(line, 'request');
	}

	#loggerOf({ req, route = 'unmatched', principal, model }: Exchange): Logger {
		const { method } = req;
		const { tenant, id } = principal ?? {};
		// A host's own authenticator may give any text: the lengths keep one name from reading like two.
		const kind = `${tenant?.length} ${id?.length} ${method} ${route} ${model} ${tenant} ${id}`;
		const known = this.#loggers.get(kind);
		if (known) return known;
		if (this.#loggers.size >= mostLoggers) this.#loggers.clear();
		const made = this.#log.child({ method, route, tenant, principal: id, model });
		this.#loggers.set(kind, made);
		return made;
	}
}
