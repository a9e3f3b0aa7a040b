import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The network that a request comes from: an IPv4 address, or the /64 of an IPv6 one, of which one customer has all
 * addresses. `trustedProxies` is how many proxies of one's own stand in front: each appends the address that it saw
 * to `X-Forwarded-For`, so the client's is that many places from the right, and whatever stands further left the
 * client may have made up. Without an address, as behind `fetch` and on Unix sockets, it is the empty text.
 */
export function clientNetwork(req: IncomingMessage, trustedProxies: number): string {
	const direct = req.socket?.remoteAddress ?? '';
	return network(forwarded(req, trustedProxies) ?? direct);
}

function forwarded(req: IncomingMessage, trustedProxies: number): string | undefined {
	const header = req.headers['x-forwarded-for'];
	if (trustedProxies === 0 || header === undefined) return undefined;
	// A request that came past some of the proxies has fewer places.
	const places = String(header).split(',').slice(-trustedProxies);
	const address = withoutPort(places[0]?.trim() ?? '');
	return isIPv4(address) || isIPv6(address) ? address : undefined;
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
	return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
}

function network(address: string): string {
	if (!isIPv6(address)) return address;
	const groups = expand(address);
	const [, , , , , , high = 0, low = 0] = groups;
	const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
	if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
	const prefix = groups.slice(0, 4).map((group) => group.toString(16));
	return `${prefix.join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address. */
function expand(address: string): readonly number[] {
	const [head = [], tail] = address.replace(/%.*$/, '').split('::').map(groupsOf);
	if (!tail) return head;
	const gap = Array.from({ length: 8 - head.length - tail.length }, () => 0);
	return [...head, ...gap, ...tail];
}

/** `0:ffff:192.0.2.1` has four groups: a dotted end stands for two. */
function groupsOf(text: string): readonly number[] {
	return text.split(':').flatMap((part) => {
		if (part === '') return [];
		if (!part.includes('.')) return [Number.parseInt(part, 16)];
		const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
		return [(a << 8) | b, (c << 8) | d];
	});
}
