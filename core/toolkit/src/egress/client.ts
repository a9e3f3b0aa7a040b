import type { LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { literalAddress } from './addresses.ts';
import { allowedAddresses, ForbiddenTarget, type Guard } from './guard.ts';

/**
 * The connections of an `Egress`: to allowed addresses only. A separate file, imported at the first request, because
 * undici takes tens of milliseconds to load.
 */
export function guardedAgent(guard: Guard): Agent {
	return new Agent({
		connect: guardedConnector(guard),
		// Per origin. Senders stay below it: time spent waiting here for a connection counts against their timeout.
		connections: 64,
		pipelining: 1,
	});
}

/**
 * Connects to allowed addresses only. The check happens at connect time: the addresses that were checked are the ones
 * connected to, so a second DNS response cannot differ (DNS rebinding). An IP address in the URL never reaches the
 * resolver, so it is checked separately.
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
