import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Resolves with the system's resolver, which also knows the names of the local network. */
export const systemResolver: Resolve = (hostname) => lookup(hostname, { all: true });

/** Which name servers are queried, and how long. */
export interface NameServerOptions {
	/** Addresses with ports. The system's unless set. */
	readonly servers?: readonly string[];
	/** Milliseconds until a query is cancelled. 5,000 unless set. */
	readonly timeoutMs?: number;
}

/**
 * Resolves public names by querying name servers. An unknown name has no addresses, like a name that only
 * the local network knows, so that clients cannot tell the two apart.
 *
 * The system's resolver would block a thread while a name server is silent. The process has two threads for that: a few
 * names whose servers never answer would delay every other lookup.
 */
export function nameServers({ servers, timeoutMs = 5_000 }: NameServerOptions = {}): Resolve {
	return async (hostname) => {
		// Such names must not be sent to name servers (RFC 6761 §6.3).
		if (/(?:^|\.)localhost\.?$/.test(hostname)) return [];
		const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
		if (servers) resolver.setServers(servers);
		const timer = setTimeout(() => resolver.cancel(), timeoutMs).unref();
		try {
			const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
			const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
			// Addresses of one family, IPv4 or IPv6, are enough.
			const failed = answers.find((answer) => answer.status === 'rejected' && !isUnknown(answer.reason));
			if (failed?.status === 'rejected' && addresses.length === 0) throw failed.reason;
			return addresses.map((address) => ({ address, family: isIP(address) }));
		} finally {
			clearTimeout(timer);
		}
	};
}

function isUnknown({ code }: NodeJS.ErrnoException): boolean {
	return code === 'ENOTFOUND' || code === 'ENODATA';
}
