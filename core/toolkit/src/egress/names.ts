import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Resolves with the system's resolver, which also knows the names of the local network. */
export const askSystem: Resolve = (hostname) =>
	new Promise((resolve, reject) => {
		lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
	});

/** Which name servers are asked, and how long. */
export interface NameServerOptions {
	/** Addresses with ports. The system's unless set. */
	readonly servers?: readonly string[];
	/** Milliseconds until a query is cancelled. 5,000 unless set. */
	readonly timeoutMs?: number;
}

/**
 * Resolves names of the public internet by asking name servers. An unknown name has no addresses, like a name that only
 * the local network knows, so that clients cannot tell the two apart.
 *
 * The system's resolver would block a thread while a name server is silent. The process has two threads for that: a few
 * names whose servers never answer would delay every other lookup.
 */
export function nameServers({ servers, timeoutMs = 5_000 }: NameServerOptions = {}): Resolve {
	return async (hostname) => {
		// Must not be sent to name servers (RFC 6761 §6.3).
		if (/(?:^|\.)localhost\.?$/.test(hostname)) return [];
		const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
		if (servers) resolver.setServers(servers);
		const timer = setTimeout(() => resolver.cancel(), timeoutMs).unref();
		try {
			const answers = await Promise.all([
				addresses(resolver.resolve4(hostname), 4),
				addresses(resolver.resolve6(hostname), 6),
			]);
			const found = answers.flatMap((answer) => (answer instanceof Error ? [] : answer));
			const failure = answers.find((answer) => answer instanceof Error);
			if (failure && found.length === 0) throw failure;
			return found;
		} finally {
			clearTimeout(timer);
		}
	};
}

/** The addresses of one family, or the error of the lookup: the other family may be enough. */
async function addresses(answer: Promise<readonly string[]>, family: 4 | 6): Promise<readonly LookupAddress[] | Error> {
	try {
		return (await answer).map((address) => ({ address, family }));
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : (error as Error);
	}
}
