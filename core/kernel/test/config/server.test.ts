import { describe, expect, test } from 'vitest';
import { jobSettings } from '../../src/contract/jobs/settings.ts';
import { serverSettings } from '../../src/contract/server-settings.ts';

describe('server.cors', () => {
	test.each([[['https://a.example', 'http://localhost:5173']], ['https://a.example, http://localhost:5173']])(
		'accepts a list or its text: %j',
		(cors) => {
			expect(serverSettings.parse({ cors }).cors).toEqual(['https://a.example', 'http://localhost:5173']);
		},
	);

	test('is empty by default and with an empty variable', () => {
		expect(serverSettings.parse({}).cors).toEqual([]);
		expect(serverSettings.parse({ cors: '' }).cors).toEqual([]);
	});

	test.each(['null', 'a.example', 'https://a.example/', 'https://u@a.example', 'ftp://a.example'])(
		'refuses %s',
		(origin) => {
			const { error } = serverSettings.safeParse({ cors: [origin] });
			expect(error?.issues).toMatchObject([{ path: ['cors', 0] }]);
			expect(error?.issues[0]?.message).toContain('https://app.example.com');
		},
	);
});

describe('server.limits', () => {
	test('keeps the other defaults when one is set', () => {
		expect(serverSettings.parse({ limits: { requestsPerTenant: '7' } }).limits).toEqual({
			inFlightBytes: 1_073_741_824,
			requestsPerTenant: 7,
			streamsPerTenant: 1_000,
			streams: 10_000,
			connections: 10_000,
		});
	});

	test.each([{ requestsPerTenant: 0 }, { inFlightBytes: 'much' }, { requests: 5 }])('refuses %j', (limits) => {
		expect(serverSettings.safeParse({ limits }).success).toBe(false);
	});
});

describe('numbers of the server and of jobs', () => {
	test('may be texts, because variables are texts', () => {
		expect(serverSettings.parse({ port: '8081', graceMs: ' 5 ' })).toMatchObject({ port: 8081, graceMs: 5 });
		expect(jobSettings.parse({ perTenant: '3', leaseMs: '30000' })).toMatchObject({ perTenant: 3, leaseMs: 30_000 });
	});

	test.each([[null], [''], [' '], [[]], [true], ['x']])('are refused as %j, and not read as 0 or 1', (value) => {
		for (const name of ['port', 'authFailuresPerMinute', 'trustedProxies', 'graceMs']) {
			expect(serverSettings.safeParse({ [name]: value }).error?.issues).toMatchObject([{ path: [name] }]);
		}
		for (const name of ['concurrency', 'maxPendingPerTenant', 'leaseMs']) {
			expect(jobSettings.safeParse({ [name]: value }).error?.issues).toMatchObject([{ path: [name] }]);
		}
	});
});

describe('server.unknownMembers and server.compression', () => {
	test('warn and compress by default', () => {
		expect(serverSettings.parse({})).toMatchObject({ unknownMembers: 'warn', compression: 'on' });
		expect(serverSettings.parse({ unknownMembers: 'refuse', compression: 'off' })).toMatchObject({
			unknownMembers: 'refuse',
			compression: 'off',
		});
	});

	test.each([{ unknownMembers: 'ignore' }, { compression: true }])('refuse %j', (server) => {
		expect(serverSettings.safeParse(server).success).toBe(false);
	});
});
