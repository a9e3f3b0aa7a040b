import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { clientNetwork } from '../../../src/http/gate/auth-failures.ts';

/** The network of a request with this address of its socket and this header. */
function networkOf(remoteAddress: string | undefined, forwardedFor?: string, trustedProxies = 0): string {
	const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
	const request = { headers, socket: { remoteAddress } };
	return clientNetwork(request as unknown as IncomingMessage, trustedProxies);
}

describe('the network of a client', () => {
	test.each([
		['192.0.2.1', '192.0.2.1'],
		['::ffff:192.0.2.1', '192.0.2.1'],
		['::ffff:c000:0201', '192.0.2.1'],
		['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
		['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
		['2001:db8::9', '2001:db8:0:0::/64'],
		['2001:db8::', '2001:db8:0:0::/64'],
		['::1', '0:0:0:0::/64'],
		['fe80::1%eth0', 'fe80:0:0:0::/64'],
		['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
	])('of the address %s is %s', (address, network) => {
		expect(networkOf(address)).toBe(network);
	});

	test('is the same for all addresses of a /64, and differs from the next /64', () => {
		expect(networkOf('2001:db8:1:2:ffff::1')).toBe(networkOf('2001:db8:1:2::1'));
		expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
	});

	test('is empty without a socket', () => {
		expect(clientNetwork({ headers: {} } as IncomingMessage, 0)).toBe('');
		expect(networkOf(undefined)).toBe('');
	});
});

describe('X-Forwarded-For', () => {
	test('is ignored unless proxies are trusted', () => {
		expect(networkOf('192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
	});

	test.each([
		[1, '198.51.100.7', '198.51.100.7'],
		[1, 'made-up, 203.0.113.9, 198.51.100.7', '198.51.100.7'],
		[2, '203.0.113.9, 198.51.100.7, 10.0.0.1', '198.51.100.7'],
		[2, '198.51.100.7,10.0.0.1', '198.51.100.7'],
		[3, '198.51.100.7', '198.51.100.7'],
		[1, '198.51.100.7:4711', '198.51.100.7'],
		[1, '[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
		[1, '[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
		[1, '2001:db8:1:2::9', '2001:db8:1:2::/64'],
		[1, '::ffff:198.51.100.7', '198.51.100.7'],
	])('behind %i proxies: %s is %s', (proxies, header, network) => {
		expect(networkOf('10.0.0.2', header, proxies)).toBe(network);
	});

	test.each(['', 'unknown', '198.51.100.7, ', '198.51.100.300', '_hidden', ','])(
		'without an address at its place ("%s") leaves the one of the connection',
		(header) => {
			expect(networkOf('10.0.0.2', header, 1)).toBe('10.0.0.2');
		},
	);
});
