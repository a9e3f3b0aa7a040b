import { defineConfig, env } from '@plinth/core';
import { embedded } from './embedded.ts';

const database = { url: env('DATABASE_URL'), migrate: env('PLINTH_MIGRATE', 'true') };
const bucket = { bucket: env('S3_BUCKET'), endpoint: env('S3_ENDPOINT', '') };

/**
 * The embedded composition for many servers and workers: jobs, records and events are in the PostgreSQL of
 * `DATABASE_URL`. Blobs are in the bucket of `S3_BUCKET` or, if that is not set, in a folder below `PLINTH_DATA_DIR`
 * that all processes can access. `PLINTH_ROLE` selects what a process does.
 *
 * Extend it with `extends: 'plinth:cluster'`. Only a config that does so loads the PostgreSQL and S3 adapters.
 */
export const cluster = defineConfig({
	extends: embedded,
	backends: {
		jobs: { use: '@plinth/postgres#postgresJobs', with: database },
		records: { use: '@plinth/postgres#postgresRecords', with: database },
		events: { use: '@plinth/postgres#postgresEvents', with: database },
		// Interpolation fills in values and cannot choose a backend, so the environment is read here.
		...(process.env.S3_BUCKET && { blobs: { use: '@plinth/s3#s3Blobs', with: bucket } }),
	},
});
