import type { Fault } from '../fault.ts';

const source = 'core/toolkit/src/egress';
const egress = ['core/toolkit/test/egress/egress.test.ts'];
const redirects = ['core/toolkit/test/egress/redirect-headers.test.ts'];
const pictures = ['core/toolkit/test/egress/fetched-images.test.ts'];

/** Requests to addresses that clients name. */
export const egressFaults: readonly Fault[] = [
	{
		what: 'headers go along to another host on a redirect',
		file: `${source}/egress.ts`,
		find: 'if (next.origin !== url.origin) headers = {};',
		replace: '',
		tests: redirects,
	},
	{
		what: 'only Authorization stays behind on a redirect',
		file: `${source}/egress.ts`,
		find: 'if (next.origin !== url.origin) headers = {};',
		replace: 'if (next.origin !== url.origin) ({ authorization: {}, ...headers } = headers as object);',
		tests: redirects,
	},
	{
		what: 'headers go along to another port on a redirect',
		file: `${source}/egress.ts`,
		find: 'next.origin !== url.origin',
		replace: 'next.hostname !== url.hostname',
		tests: redirects,
	},
	{
		what: 'a password without a user name is taken in an address',
		file: `${source}/egress.ts`,
		find: "url.username !== '' || url.password !== ''",
		replace: "url.username !== ''",
		tests: egress,
	},
	{
		what: 'http is taken where only https is allowed',
		file: `${source}/egress.ts`,
		find: "(this.#allowsHttp && url.protocol === 'http:')",
		replace: "url.protocol === 'http:'",
		tests: egress,
	},
	{
		what: 'the address behind a redirect is not looked at',
		file: `${source}/egress.ts`,
		find: 'this.#parse(URL.parse(location, url.href)?.href ?? location)',
		replace: 'new URL(location, url.href)',
		tests: egress,
	},
	{
		what: 'one redirect more is followed',
		file: `${source}/egress.ts`,
		find: 'if (followed === redirects) {',
		replace: 'if (followed > redirects) {',
		tests: egress,
	},
	{
		what: 'redirects of a POST are followed',
		file: `${source}/egress.ts`,
		find: "request.method === 'GET' ? (request.redirects ?? 0) : 0",
		replace: 'request.redirects ?? 0',
		tests: egress,
	},
	{
		what: 'a request with a signal has no time limit',
		file: `${source}/egress.ts`,
		find: 'signal ? AbortSignal.any([signal, timeout]) : timeout',
		replace: 'signal ?? timeout',
		tests: egress,
	},
	{
		what: 'a body is read to twice its bound',
		file: `${source}/egress.ts`,
		find: 'if (length > maxBytes) return',
		replace: 'if (length > 2 * maxBytes) return',
		tests: egress,
	},
	{
		what: 'an address within an IPv6 zone is public',
		file: `${source}/addresses.ts`,
		find: " || address.includes('%')",
		replace: '',
		tests: egress,
	},
	{
		what: 'IPv6 addresses that were never given out are public',
		file: `${source}/addresses.ts`,
		find: 'return isAllocated && parsed',
		replace: 'return parsed',
		tests: egress,
	},
	{
		what: 'IPv4 addresses in IPv6 are not recognised',
		file: `${source}/addresses.ts`,
		find: 'ipaddr.process(address)',
		replace: 'ipaddr.parse(address)',
		tests: egress,
	},
	{
		what: 'one public address of a host is enough',
		file: `${source}/guard.ts`,
		find: '!addresses.every(',
		replace: '!addresses.some(',
		tests: egress,
	},
	{
		what: 'a private IP address in a URL is connected to',
		file: `${source}/client.ts`,
		find: 'if (literal === undefined || guard.isAllowed(literal)) return',
		replace: 'if (literal !== null) return',
		tests: egress,
	},
	{
		what: 'name servers are asked about localhost',
		file: `${source}/names.ts`,
		find: '(?:^|\\.)localhost\\.?$',
		replace: '^localhost$',
		tests: ['core/toolkit/test/egress/names.test.ts'],
	},
	{
		what: '2xx and 3xx without a picture are taken for one',
		file: `${source}/fetched-images.ts`,
		find: 'if (status !== 200) throw',
		replace: 'if (status >= 400) throw',
		tests: pictures,
	},
	{
		what: '204 and 206 are taken for a picture',
		file: `${source}/fetched-images.ts`,
		find: 'if (status !== 200) throw',
		replace: 'if (status < 200 || status > 299) throw',
		tests: pictures,
	},
	{
		what: 'the beginning of a picture is taken for all of it',
		file: `${source}/fetched-images.ts`,
		find: 'if (isTruncated) {',
		replace: 'if (isTruncated && body.length === 0) {',
		tests: pictures,
	},
];
