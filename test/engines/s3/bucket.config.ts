import { defineConfig, env } from '@plinth/core';
import { s3Blobs } from '@plinth/s3';
import { quickVideo } from '../../support/quick-video.ts';

/**
 * The default composition with a quick model and with its blobs in the bucket of `TEST_PLACE`, for child processes of
 * tests.
 */
export default defineConfig({
	extends: 'plinth:embedded',
	server: { drainDelayMs: 0 },
	jobs: { sweepMs: 500 },
	backends: { blobs: s3Blobs(JSON.parse(process.env.TEST_PLACE ?? '{}')) },
	models: { quick: quickVideo({ runs: env('TEST_RUNS') }) },
});
