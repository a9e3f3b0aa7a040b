import type { LookupAddress } from 'node:dns';
import { literalAddress } from './addresses.ts';
import type { Resolve } from './names.ts';

/** Whether an IP address may be reached. */
export type IsAllowed = (address: string) => boolean;

/** What decides where requests go. */
export interface Guard {
	readonly isAllowed: IsAllowed;
	readonly resolve: Resolve;
}

/** What {@link Egress} rejects with for an address that it may not reach; the message says why, in words for whoever named it. */
export class ForbiddenTarget extends Error {}

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
		throw new ForbiddenTarget(`${hostname} has no address in the public internet`);
	}
	return addresses;
}
