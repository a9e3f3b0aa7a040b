import type { S3Client } from '@aws-sdk/client-s3';
import { defineBackend, errorFrom, services } from '@plinth/core';
import { Bucket } from './bucket.ts';
import { s3Errors, toBootError } from './errors.ts';
import { s3Options } from './options.ts';
import { S3BlobStore } from './store.ts';

/** A signature of another instant is refused by AWS from here on. */
const mostClockSkewMs = 15 * 60_000;

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
		if (clockSkewMs() > mostClockSkewMs) {
			const minutes = Math.round(clockSkewMs() / 60_000);
			throw errorFrom(s3Errors, 'E_S3_CLOCK', { message: `${place}: the clocks differ by ${minutes} minutes.` });
		}
		return new S3BlobStore(bucket, clock, log);
	},
});

/** The SDK corrects a wrong clock on its own, but the addresses that it signs for clients do not work. */
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
