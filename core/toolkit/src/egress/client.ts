import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { literalAddress } from './addresses.ts';
import { allowedAddresses, ForbiddenTarget, type Guard } from './guard.ts';

/** The connections of an `Egress`. A file of its own because undici takes tens of milliseconds to load: it is imported at the first request. */
export class GuardedClient {
	readonly #agent: Agent;

	constructor(guard: Guard) {
		this.#agent = new Agent({
			connect: guardedConnector(guard),
			// To one origin. Whoever sends keeps to fewer: what waits here for a connection waits at the cost of its time.
			connections: 64,
			pipelining: 1,
		});
	}

	/** Sends one request. Rejects with {@link ForbiddenTarget}, with the signal's reason, or with what went wrong on the way. */
	request(
		url: URL,
		options: Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body' | 'signal'>,
	): Promise<Dispatcher.ResponseData> {
		return request(url, { ...options, dispatcher: this.#agent });
	}

	/** Closes all connections. What is sent from then on is refused. */
	close(): Promise<void> {
		return this.#agent.destroy();
	}
}

/**
 * Connects to allowed addresses only. The check is made where the connection is made: the addresses that were looked at are the ones that are
 * connected to, whatever a second question to the resolver would say. An address in the URL itself never reaches the resolver, so that it is
 * checked apart.
 */
function guardedConnector(guard: Guard): buildConnector.connector {
	const lookup: LookupFunction = (hostname, options, done) => {
		allowedAddresses(hostname, guard).then(
			(addresses) => {
				const [first] = addresses;
				if (options.all) done(null, [...addresses]);
				else done(null, first?.address ?? '', first?.family);
			},
			(error: NodeJS.ErrnoException) => done(error, ''),
		);
	};
	const connect = buildConnector({ lookup });
	return (options, done) => {
		const literal = literalAddress(options.hostname);
		if (literal === undefined || guard.isAllowed(literal)) return connect(options, done);
		done(new ForbiddenTarget(`${literal} has no address in the public internet`), null);
	};
}
