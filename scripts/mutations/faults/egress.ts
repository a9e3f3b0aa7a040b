import type { Fault } from '../fault.ts';

const source = 'core/toolkit/src/egress';
const egress = ['core/toolkit/test/egress/egress.test.ts'];
const redirects = ['core/toolkit/test/egress/redirect-headers.test.ts'];
const pictures = ['core/toolkit/test/egress/fetched-images.test.ts'];

/** Faults of requests to addresses that clients name. */
export const egressFaults: readonly Fault[] = [
	{
		what: 'headers are sent to another host on a redirect',
		file: `${source}/egress.ts`,
		find: 'if (next.origin !== url.origin) headers = {};',
		replace: '',
		tests: redirects,
	},
	{
		what: 'only Authorization is removed on a redirect',
		file: `${source}/egress.ts`,
		find: 'if (next.origin !== url.origin) headers = {};',
		replace: 'if (next.origin !== url.origin) ({ authorization: {}, ...headers } = headers as object);',
		tests: redirects,
	},
	{
		what: 'headers are sent to another port on a redirect',
		file: `${source}/egress.ts`,
		find: 'next.origin !== url.origin',
		replace: 'next.hostname !== url.hostname',
		tests: redirects,
	},
	{
		what: 'a password without a user name is accepted in an address',
		file: `${source}/egress.ts`,
		find: "url.username !== '' || url.password !== ''",
		replace: "url.username !== ''",
		tests: egress,
	},
	{
		what: 'http is accepted where only https is allowed',
		file: `${source}/egress.ts`,
		find: "(this.#allowsHttp && url.protocol === 'http:')",
		replace: "url.protocol === 'http:'",
		tests: egress,
	},
	{
		what: 'the target of a redirect is not checked',
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
		what: 'a body is read to twice its limit',
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
		what: 'unassigned IPv6 addresses are public',
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
		what: 'localhost is resolved by name servers',
		file: `${source}/names.ts`,
		find: '(?:^|\\.)localhost\\.?$',
		replace: '^localhost$',
		tests: ['core/toolkit/test/egress/names.test.ts'],
	},
	{
		what: '2xx and 3xx responses without a picture are accepted',
		file: `${source}/fetched-images.ts`,
		find: 'if (status !== 200) throw',
		replace: 'if (status >= 400) throw',
		tests: pictures,
	},
	{
		what: '204 and 206 are accepted as a picture',
		file: `${source}/fetched-images.ts`,
		find: 'if (status !== 200) throw',
		replace: 'if (status < 200 || status > 299) throw',
		tests: pictures,
	},
	{
		what: 'the start of a picture is accepted as the whole picture',
		file: `${source}/fetched-images.ts`,
		find: 'if (isTruncated) {',
		replace: 'if (isTruncated && body.length === 0) {',
		tests: pictures,
	},
];
