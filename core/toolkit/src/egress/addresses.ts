import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address belongs to the public internet. False for every range that a registry has reserved: loopback,
 * private and link-local networks, carrier-grade NAT, multicast, and IPv6 addresses that translate to IPv4 ones.
 */
export function isPublicAddress(address: string): boolean {
	// An address with a zone (`fe80::1%eth0`) is local by definition.
	if (!ipaddr.isValid(address) || address.includes('%')) return false;
	const parsed = ipaddr.process(address);
	// Global unicast IPv6 addresses are in 2000::/3 (RFC 4291 §2.4). `::127.0.0.1`, the deprecated form of an IPv4
	// address, does not.
	const isAllocated = parsed instanceof ipaddr.IPv4 || parsed.match(allocated);
	return isAllocated && parsed.range() === 'unicast';
}

const allocated = ipaddr.IPv6.parseCIDR('2000::/3');

/** The IP address in the host of a URL, without brackets; undefined for a host name. */
export function literalAddress(hostname: string): string | undefined {
	const host = hostname.replace(/^\[(.*)\]$/, '$1');
	return ipaddr.isValid(host) ? host : undefined;
}
