import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { s3Blobs } from '@plinth/s3';
import { createBackend } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refuse, type ScriptedS3, scriptedS3 } from './scripted-s3.ts';

let server: ScriptedS3;
beforeEach(async () => {
	server = await scriptedS3();
});
afterEach(() => server.close());

const keys = { accessKeyId: 'canary-key', secretAccessKey: 'canary-secret' };

function boot(options: Partial<Parameters<typeof s3Blobs>[0] & object> = {}) {
	return createBackend(s3Blobs({ bucket: 'media', endpoint: server.endpoint, ...keys, ...options }));
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
	test.each(refusals)('ends with %s after %i %s, and names server and bucket', async (code, status, name) => {
		server.play((_asked, res) => refuse(res, status, name, '<StringToSign>canary</StringToSign>'));
		const error: unknown = await boot().catch((reason: unknown) => reason);
		const message = expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+, bucket "media": /);
		expect(error).toMatchObject({ code, message, spec: { remedy: expect.stringMatching(/\w/) } });
		expect(JSON.stringify([error, (error as Error).cause, String(error)])).not.toContain('canary');
	});

	test('ends with E_S3_CLOCK where the SDK would correct the clock on its own', async () => {
		server.play((_asked, res) => {
			res.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
			return false;
		});
		await expect(boot()).rejects.toMatchObject({
			code: 'E_S3_CLOCK',
			message: expect.stringContaining('the clocks differ by 60 minutes'),
		});
	});

	test('ends with E_S3_ADDRESS when nothing listens', async () => {
		const free = createServer().listen(0, '127.0.0.1');
		await new Promise((resolve) => free.once('listening', resolve));
		const { port } = free.address() as AddressInfo;
		await new Promise((resolve) => free.close(resolve));
		await expect(boot({ endpoint: `http://127.0.0.1:${port}` })).rejects.toMatchObject({ code: 'E_S3_ADDRESS' });
	});

	test('ends with E_S3_TLS for https:// on a server without TLS', async () => {
		const endpoint = server.endpoint.replace('http:', 'https:');
		await expect(boot({ endpoint })).rejects.toMatchObject({ code: 'E_S3_TLS' });
	});

	test('reads no credentials from options that are empty', async () => {
		const { stop } = await boot({ region: '', publicEndpoint: '' });
		await stop();
		expect(server.asked[0]?.headers.authorization).toContain('/us-east-1/s3/');
	});
});

describe('options', () => {
	test.each([
		['endpoint', { endpoint: 's3.example.com' }],
		['prefix', { prefix: 'a b' }],
		['downloads', { downloads: 'direct' as 'redirect' }],
	])('a wrong %s is refused', async (name, options) => {
		await expect(boot(options)).rejects.toMatchObject({ issues: [{ path: [name] }] });
	});
});
