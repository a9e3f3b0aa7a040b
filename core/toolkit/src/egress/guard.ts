import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { literalAddress } from './addresses.ts';
import type { Resolve } from './names.ts';

/** Whether an IP address may be reached. */
export type IsAllowed = (address: string) => boolean;

/** Decides which addresses requests may reach. */
export interface Guard {
	readonly isAllowed: IsAllowed;
	readonly resolve: Resolve;
}

/** The error of {@link Egress} for a forbidden address. The message says why and is meant for the client. */
export class ForbiddenTarget extends Error {}

/**
 * The addresses of a host. Rejects with {@link ForbiddenTarget} unless all of them are allowed: one private address
 * among public ones is refused.
 */
export async function allowedAddresses(
	hostname: string,
	{ isAllowed, resolve }: Guard,
): Promise<readonly LookupAddress[]> {
	const literal = literalAddress(hostname);
	const addresses = literal === undefined ? await resolve(hostname) : [{ address: literal, family: isIP(literal) }];
	if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
		throw new ForbiddenTarget(`${hostname} has no address in the public internet`);
	}
	return addresses;
}
