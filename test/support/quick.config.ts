import { defineConfig } from '@plinth/core';
import { memoryEvents } from '@plinth/memory';
import { video } from '@plinth/plugin-video';
import { quickVideo } from './quick-video.ts';

const { TEST_PRESET = 'plinth:embedded', TEST_JOBS = '{}', TEST_SERVER = '{}', TEST_RUNS = '' } = process.env;
const { TEST_RETENTION_SECONDS = '86400', TEST_HINTS = 'shared' } = process.env;

/** The default composition with a quick model, for child processes of tests. Started by `fleet.ts`. */
export default defineConfig({
	extends: TEST_PRESET,
	server: JSON.parse(TEST_SERVER),
	jobs: JSON.parse(TEST_JOBS),
	plugins: { video: video({ retentionHours: Number(TEST_RETENTION_SECONDS) / 3_600 }) },
	// Without shared hints, processes find new jobs and events by polling.
	backends: TEST_HINTS === 'own' ? { events: memoryEvents() } : {},
	models: { quick: quickVideo({ runs: TEST_RUNS }) },
});
