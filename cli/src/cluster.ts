import { defineConfig, env } from '@plinth/core';
import { embedded } from './embedded.ts';

const database = { url: env('DATABASE_URL'), migrate: env('PLINTH_MIGRATE', 'true') };
const bucket = { bucket: env('S3_BUCKET'), endpoint: env('S3_ENDPOINT', '') };

/**
 * The same for many servers and workers: jobs, records and events in the PostgreSQL of `DATABASE_URL`, blobs in the
 * bucket of `S3_BUCKET` or, where that is not set, in a folder that all of them see, below `PLINTH_DATA_DIR`.
 * `PLINTH_ROLE` says what a process does.
 *
 * Extend it with `extends: 'plinth:cluster'`. Its adapters are loaded only then.
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
