import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address belongs to a machine of the public internet. Everything that a registry has set aside is not: loopback, private and
 * link-local networks, carrier-grade NAT, multicast, and addresses of IPv6 that stand for others of IPv4.
 */
export function isPublicAddress(address: string): boolean {
	// An address within a zone (`fe80::1%eth0`) is local by definition.
	if (!ipaddr.isValid(address) || address.includes('%')) return false;
	const parsed = ipaddr.process(address);
	// Of IPv6 only an eighth was ever given out (RFC 4291 §2.4); `::127.0.0.1`, which once meant an IPv4 address, lies outside.
	const isGivenOut = parsed instanceof ipaddr.IPv4 || parsed.match(givenOut);
	return isGivenOut && parsed.range() === 'unicast';
}

const givenOut = ipaddr.IPv6.parseCIDR('2000::/3');

/** The address that a URL's host is, without brackets; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
	const host = hostname.replace(/^\[(.*)\]$/, '$1');
	return ipaddr.isValid(host) ? host : undefined;
}
