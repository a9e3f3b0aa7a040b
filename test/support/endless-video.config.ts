import { defineConfig } from '@plinth/core';
import { gate, heldVideo } from './fake-models.ts';

/**
 * The default composition with a video model that never completes, so that a test measures the cost of the upload and
 * not of the job.
 */
export default defineConfig({
	extends: 'plinth:embedded',
	models: { 'held-1': heldVideo(gate()) },
});
