import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { literalAddress } from './addresses.ts';

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Whether an IP address may be reached. */
export type IsAllowed = (address: string) => boolean;

/** What decides where requests go. */
export interface Guard {
	readonly isAllowed: IsAllowed;
	readonly resolve: Resolve;
}

/** A target that requests may not reach. */
export class ForbiddenTarget extends Error {}

/** The resolver of the system. */
export const resolveByName: Resolve = (hostname) =>
	new Promise((resolve, reject) => {
		systemLookup(hostname, { all: true }, (error, addresses) =>
			error ? reject(error) : resolve(addresses),
		);
	});

/** Throws {@link ForbiddenTarget} unless every address of a host is allowed. One private answer among public ones is enough to refuse. */
export async function allowedAddresses(
	hostname: string,
	{ isAllowed, resolve }: Guard,
): Promise<readonly LookupAddress[]> {
	const literal = literalAddress(hostname);
	const addresses =
		literal === undefined
			? await resolve(hostname)
			: [{ address: literal, family: literal.includes(':') ? 6 : 4 }];
	if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
		throw new ForbiddenTarget(`${hostname} is not in the public internet`);
	}
	return addresses;
}

/**
 * Connects to allowed addresses only. The check is made where the connection is made: the addresses that were looked at are the ones that are
 * connected to, whatever a second question to the resolver would say. An address in the URL itself never reaches the resolver, so that it is
 * checked apart.
 */
export function guardedConnector(guard: Guard): buildConnector.connector {
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
		done(new ForbiddenTarget(`${literal} is not in the public internet`), null);
	};
}
