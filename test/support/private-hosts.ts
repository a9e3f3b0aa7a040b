import { networkInterfaces } from 'node:os';
import { isPublicAddress } from '../../core/toolkit/src/egress/addresses.ts';

/** The addresses under which other machines reach this one. */
export const ownHosts = Object.values(networkInterfaces())
	.flatMap((addresses) => addresses ?? [])
	.filter(({ internal, scopeid }) => !internal && !scopeid)
	.filter(({ address }) => !isPublicAddress(address))
	.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));

/** Hosts of private networks in many spellings. The hosts of this machine are used with a port that listens. */
export const spelledHosts: readonly string[] = [
	'127.0.0.1',
	'127.1',
	'127.0.1',
	'127.0.0.1.',
	'127.255.255.254',
	'2130706433',
	'0x7f000001',
	'0x7f.1',
	'0x7f.0x0.0x0.0x1',
	'0177.0.0.1',
	'017700000001',
	'%31%32%37.0.0.1',
	'①②⑦.0.0.1',
	'0',
	'0.0.0.0',
	'0x0',
	'[::1]',
	'[::]',
	'[0:0:0:0:0:0:0:1]',
	'[::ffff:127.0.0.1]',
	'[::ffff:7f00:1]',
	'[::127.0.0.1]',
	'[::ffff:0:127.0.0.1]',
	'[64:ff9b::127.0.0.1]',
	'[64:ff9b:1::7f00:1]',
	'[2002:7f00:1::]',
	'[2001::7f00:1]',
	'[fe80::1]',
	'[fec0::1]',
	'[fc00::1]',
	'[fd12:3456::1]',
	'[ff02::1]',
	'[100::1]',
	'[2001:db8::1]',
	'10.0.0.1',
	'172.16.0.1',
	'192.168.0.1',
	'169.254.169.254',
	'100.64.0.1',
	'192.0.0.1',
	'198.18.0.1',
	'224.0.0.1',
	'240.0.0.1',
	'255.255.255.255',
	'localhost',
	'localhost.',
	'LOCALHOST',
];

/** The same hosts, and the addresses of this machine. */
export const privateHosts: readonly string[] = [...spelledHosts, ...ownHosts];
