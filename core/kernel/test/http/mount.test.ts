import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { connectionUrl, linkBase, normalizedPrefix, targetBelow } from '../../src/http/server.ts';

describe('a path below a mount', () => {
	test.each([
		['that the host leaves', '/ai/v1/models?limit=1', undefined, '/ai', '/v1/models', '/ai'],
		['that the host strips', '/v1/models', '/ai/v1/models?limit=1', '', '/v1/models', '/ai'],
		['of which the host strips a part', '/ai/v1', '/team/ai/v1', '/ai', '/v1', '/team/ai'],
		['that is the mount itself', '/?a=b', '/ai?a=b', '', '/', '/ai'],
		['that is the prefix itself', '/ai', undefined, '/ai', '/', '/ai'],
		['in the form for proxies', 'http://a.test/ai/v1', undefined, '/ai', '/v1', '/ai'],
		['that the host has rewritten', '/v1/models', '/elsewhere', '', '/v1/models', ''],
		['without a mount', '/v1/models', '/v1/models', '', '/v1/models', ''],
	])('%s matches', (_, url, originalUrl, prefix, path, basePath) => {
		expect(targetBelow({ url }, prefix, originalUrl)).toMatchObject({ path, basePath });
	});

	test.each(['/', '/v1/models', '/aid/v1', '/AI/v1', '*', ''])('does not match %s', (url) => {
		expect(targetBelow({ url }, '/ai')).toBeUndefined();
	});

	test.each([
		['/ai/', '/ai'],
		['ai', '/ai'],
		['/team/ai', '/team/ai'],
		['/', ''],
		[undefined, ''],
	])('may be written as %s', (input, normalized) => {
		expect(normalizedPrefix(input)).toBe(normalized);
	});
});

describe('links', () => {
	test.each([
		[undefined, 'http://127.0.0.1:3000/ai'],
		['https://media.example.com', 'https://media.example.com/ai'],
		['https://media.example.com/', 'https://media.example.com/ai'],
		['https://example.com/media/', 'https://example.com/media'],
	])('with %s as public address start with %s', (configured, url) => {
		expect(linkBase(configured, 'http://127.0.0.1:3000', '/ai')).toBe(url);
	});

	test.each([
		[{ localAddress: '127.0.0.1', localPort: 80 }, 'http://127.0.0.1:80'],
		[{ localAddress: '::ffff:127.0.0.1', localPort: 80 }, 'http://127.0.0.1:80'],
		[{ localAddress: '::1', localPort: 443, encrypted: true }, 'https://[::1]:443'],
		[{}, 'http://localhost'],
		[null, 'http://localhost'],
	])('from a connection at %j start with %s', (socket, url) => {
		expect(connectionUrl({ socket } as unknown as IncomingMessage)).toBe(url);
	});
});
