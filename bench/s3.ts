import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newBucket, type Place } from '../test/engines/s3/support.ts';
import { ownSwift } from '../test/engines/support/swift.ts';
import type { Bench } from './harness/bench.ts';
import { largeUploads } from './s3/large-uploads.ts';
import { downloads, uploads } from './s3/processor-time.ts';
import { type S3Server, startS3Server } from './s3/server.ts';
import { slowReaders } from './s3/slow-readers.ts';
import { startWithoutS3 } from './s3/start.ts';

/** `PLINTH_BENCH_S3=downloads,start` runs these parts only and saves no result. */
const only = process.env.PLINTH_BENCH_S3?.split(',');

/** Blobs in a bucket of OpenStack Swift: time and memory that the API and the store add to the SDK. */
export const s3: Bench = {
	name: 's3',
	about: 'videos and files in a bucket of OpenStack Swift, against the bare AWS SDK',
	needs: ['swift-proxy-server', 'memcached'],
	isPartial: only !== undefined,
	async run() {
		const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
		const swift = await ownSwift();
		try {
			const parts = {
				downloads: () => withServer(downloads),
				uploads: async () => uploads(await newBucket(swift), folder),
				readers: () => withServer(slowReaders),
				memory: () => withServer(largeUploads),
				start: () => startWithoutS3(folder),
			};
			// Each server has its own job store, so it needs its own bucket.
			const withServer = async <T>(use: (server: S3Server, place: Place) => Promise<T>) => {
				const place = await newBucket(swift);
				const server = await startS3Server(place);
				return use(server, place).finally(() => server.stop());
			};
			const rows = [];
			for (const [name, part] of Object.entries(parts)) {
				if (!only || only.includes(name)) rows.push(...(await part()));
			}
			return rows;
		} finally {
			await swift.remove();
			await rm(folder, { recursive: true, force: true });
		}
	},
};
