import type { IncomingMessage } from 'node:http';
import type { Call, Route } from '../../contract/http/route.ts';
import type { Idempotency } from '../../contract/jobs/job-store.ts';
import type { Principal } from '../../contract/ports/authenticator.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import { lastEventIdOf } from '../answers/sse.ts';
import { KeptFiles } from '../bodies/files/kept-files.ts';
import type { RequestState } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { anonymous } from '../gate/principals.ts';
import { httpLimits } from '../limits.ts';
import { forward } from '../passthrough/forward.ts';

/** What middleware and the handler of a route learn about their request. */
export class RouteCall implements Call {
	readonly route: string;
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
	readonly forward: Call['forward'] = (request, over, signal) => forward(this.#exchange, request, over, signal);
	readonly #exchange: Exchange;
	#kept: KeptFiles | undefined;
	#isOver = false;

	/** Throws `E_VALUE_INVALID` for a bad `Last-Event-ID`. */
	constructor({ exchange, entry }: RequestState, route: Route, idempotency: Idempotency) {
		this.route = `${route.method} ${route.path}`;
		this.principal = exchange.principal ?? anonymous;
		this.requestId = exchange.requestId;
		this.deadline = exchange.startedAt + (route.timeoutMs ?? httpLimits.timeoutMs);
		this.publicUrl = entry.publicUrl;
		this.bodyBytes = lengthOf(exchange.req);
		this.idempotency = idempotency;
		this.lastEventId = lastEventIdOf(exchange.req, route);
		this.#exchange = exchange;
		Object.defineProperties(this, RouteCall.#lazy);
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

	// Most handlers use neither, so both are made on demand. One getter for all calls: a getter in an object literal
	// gives each object a hidden class of its own, which keeps it in memory.
	static readonly #lazy = {
		log: {
			enumerable: true,
			get(this: RouteCall): Logger {
				return this.#exchange.log;
			},
		},
		signal: {
			enumerable: true,
			get(this: RouteCall): AbortSignal {
				return this.#exchange.signal;
			},
		},
	};
}

// A `fetch` request may bring any text as its length.
function lengthOf({ headers }: IncomingMessage): number | undefined {
	const sent = headers['content-length'];
	return sent !== undefined && /^\d{1,15}$/.test(sent) ? Number(sent) : undefined;
}
