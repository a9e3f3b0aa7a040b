import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Asks the resolver of the system, which knows the names of its network too. */
export const askSystem: Resolve = (hostname) =>
	new Promise((resolve, reject) => {
		lookup(hostname, { all: true }, (error, addresses) =>
			error ? reject(error) : resolve(addresses),
		);
	});

/** Which name servers are asked, and for how long. */
export interface NameServerOptions {
	/** Address and port; those of the system unless set. */
	readonly servers?: readonly string[];
	/** Milliseconds until an answer is given up; 5 seconds unless set. */
	readonly timeoutMs?: number;
}

/**
 * Makes what asks name servers about names of the public internet. A name that they do not know has no addresses, like one that only this network
 * knows, so that nobody can tell the two apart.
 *
 * The resolver of the system would hold a thread for as long as a name server is silent. The whole process has two for that: a few names of one
 * client whose servers never answer would keep every other name waiting.
 */
export function nameServers({ servers, timeoutMs = 5_000 }: NameServerOptions = {}): Resolve {
	return async (hostname) => {
		// Never a question for name servers (RFC 6761 §6.3).
		if (/(?:^|\.)localhost\.?$/.test(hostname)) return [];
		const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
		if (servers) resolver.setServers(servers);
		const patience = setTimeout(() => resolver.cancel(), timeoutMs).unref();
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
			clearTimeout(patience);
		}
	};
}

/** The addresses of one family, or why they cannot be known: those of the other may be enough. */
async function addresses(
	answer: Promise<readonly string[]>,
	family: 4 | 6,
): Promise<readonly LookupAddress[] | Error> {
	try {
		return (await answer).map((address) => ({ address, family }));
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : (error as Error);
	}
}
