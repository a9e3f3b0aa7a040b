import type { S3Client } from '@aws-sdk/client-s3';
import { defineBackend, errorFrom, services } from '@plinth/core';
import { Bucket } from './bucket.ts';
import { s3Errors, toBootError } from './errors.ts';
import { s3Options } from './options.ts';
import { S3BlobStore } from './store.ts';

/** AWS refuses signatures whose time differs from its clock by more than this. */
const maxClockSkewMs = 15 * 60_000;

/** A URL of another machine without encryption. */
const unencryptedUrl = /^http:\/\/(?!(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$))/i;
const remedy = 'Use https:// unless the network is private. With http://, others can read bytes and presigned URLs.';

/** Blobs in a bucket of AWS S3, or of a server that speaks its protocol, for any number of processes. */
export const s3Blobs = defineBackend({
	name: 's3Blobs',
	provides: services.blobs,
	config: s3Options,
	needs: { clock: services.clock },
	async create({ config, services: { clock }, log, onStop }) {
		const bucket = new Bucket(config, clock);
		onStop(async () => bucket.clients.close());
		const { endpoint = 'AWS S3' } = config;
		const place = `${endpoint}, bucket "${config.bucket}"`;
		const clockSkewMs = watchClock(bucket.clients.work);
		try {
			await bucket.check();
		} catch (error) {
			throw toBootError(error, place);
		}
		if (clockSkewMs() > maxClockSkewMs) {
			const minutes = Math.round(clockSkewMs() / 60_000);
			throw errorFrom(s3Errors, 'E_S3_CLOCK', { message: `${place}: the clocks differ by ${minutes} minutes.` });
		}
		for (const address of [endpoint, config.publicEndpoint ?? '']) {
			if (unencryptedUrl.test(address)) log.warn({ address, remedy }, 'S3 is used without encryption');
		}
		return new S3BlobStore(bucket, clock, log);
	},
});

/** Returns the clock skew. The SDK corrects it for its own requests, but URLs that it signs for clients do not work. */
function watchClock(client: S3Client): () => number {
	let skewMs = 0;
	client.middlewareStack.add(
		(next) => async (args) => {
			const result = await next(args);
			const { date } = (result.response as { headers: Record<string, string> }).headers;
			if (date) skewMs = Math.abs(Date.parse(date) - Date.now());
			return result;
		},
		{ step: 'deserialize', priority: 'low', name: 'clock' },
	);
	return () => skewMs;
}
