import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { s3Blobs } from '@plinth/s3';
import { createBackend, silentLogger } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { refuse, type ScriptedS3, scriptedS3 } from './scripted-s3.ts';

let server: ScriptedS3;
beforeEach(async () => {
	server = await scriptedS3();
});
afterEach(() => server.close());

const keys = { accessKeyId: 'canary-key', secretAccessKey: 'canary-secret' };

function boot(options: Partial<Parameters<typeof s3Blobs>[0] & object> = {}, log = silentLogger()) {
	return createBackend(s3Blobs({ bucket: 'media', endpoint: server.endpoint, ...keys, ...options }), { log });
}

const refusals = [
	['E_S3_BUCKET', 404, 'NoSuchBucket'],
	['E_S3_LOGIN', 403, 'InvalidAccessKeyId'],
	['E_S3_LOGIN', 403, 'SignatureDoesNotMatch'],
	['E_S3_REGION', 400, 'AuthorizationHeaderMalformed'],
	['E_S3_REGION', 301, 'PermanentRedirect'],
	['E_S3_CLOCK', 403, 'RequestTimeTooSkewed'],
	['E_S3_RIGHTS', 403, 'AccessDenied'],
	['E_S3_ADDRESS', 500, 'InternalError'],
] as const;

describe('a start', () => {
	test.each(refusals)(
		'fails with %s after %i %s, and the message has the server and the bucket',
		async (code, status, name) => {
			server.play((_request, res) => refuse(res, status, name, '<StringToSign>canary</StringToSign>'));
			const error: unknown = await boot().catch((reason: unknown) => reason);
			const message = expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+, bucket "media": /);
			expect(error).toMatchObject({ code, message, spec: { remedy: expect.stringMatching(/\w/) } });
			expect(JSON.stringify([error, (error as Error).cause, String(error)])).not.toContain('canary');
		},
	);

	test('fails with E_S3_CLOCK when the clock is skewed, which the SDK would correct silently', async () => {
		server.play((_request, res) => {
			res.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
			return false;
		});
		await expect(boot()).rejects.toMatchObject({
			code: 'E_S3_CLOCK',
			message: expect.stringContaining('the clocks differ by 60 minutes'),
		});
	});

	test('fails with E_S3_ADDRESS when no server listens', async () => {
		const free = createServer().listen(0, '127.0.0.1');
		await new Promise((resolve) => free.once('listening', resolve));
		const { port } = free.address() as AddressInfo;
		await new Promise((resolve) => free.close(resolve));
		await expect(boot({ endpoint: `http://127.0.0.1:${port}` })).rejects.toMatchObject({ code: 'E_S3_ADDRESS' });
	});

	test('fails with E_S3_TLS for https:// on a server without TLS', async () => {
		const endpoint = server.endpoint.replace('http:', 'https:');
		await expect(boot({ endpoint })).rejects.toMatchObject({ code: 'E_S3_TLS' });
	});

	test('fails with E_S3_LOGIN without credentials', async () => {
		// There is neither a profile nor an instance role.
		for (const [name, value] of Object.entries({ HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' })) {
			vi.stubEnv(name, value);
		}
		for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
		onTestFinished(() => void vi.unstubAllEnvs());
		const none = { accessKeyId: '', secretAccessKey: '' };
		await expect(boot(none)).rejects.toMatchObject({ code: 'E_S3_LOGIN' });
	});

	test.each([
		['http://0.0.0.0', {}, 1],
		['http://127.0.0.1', {}, 0],
		['http://localhost', {}, 0],
		['http://127.0.0.1', { publicEndpoint: 'https://media.example.com' }, 0],
		['http://127.0.0.1', { publicEndpoint: 'http://127.0.0.1.example.com' }, 1],
		['http://127.0.0.1', { publicEndpoint: 'HTTP://media.example.com:8333/' }, 1],
	])('at %s with %o logs %i warnings about plain HTTP', async (host, options, count) => {
		const warnings: object[] = [];
		const log = { ...silentLogger(), warn: (fields: object) => void warnings.push(fields) };
		const endpoint = server.endpoint.replace('http://127.0.0.1', host);
		const { stop } = await boot({ endpoint, downloads: 'redirect', ...options }, log);
		await stop();
		const warning = { address: expect.stringMatching(/^http:/i), remedy: expect.stringContaining('https://') };
		expect(warnings).toEqual(Array.from({ length: count }, () => warning));
	});

	test('does not use empty options as credentials', async () => {
		const { stop } = await boot({ region: '', publicEndpoint: '' });
		await stop();
		expect(server.requests[0]?.headers.authorization).toContain('/us-east-1/s3/');
	});
});

describe('options', () => {
	test.each([
		['endpoint', { endpoint: 's3.example.com' }],
		['prefix', { prefix: 'a b' }],
		['downloads', { downloads: 'direct' as 'redirect' }],
	])('a wrong %s is rejected', async (name, options) => {
		await expect(boot(options)).rejects.toMatchObject({ issues: [{ path: [name] }] });
	});
});
