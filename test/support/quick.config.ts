import { defineConfig } from '@plinth/core';
import { quickVideo } from './quick-video.ts';

const { TEST_PRESET = 'plinth:embedded', TEST_JOBS = '{}', TEST_SERVER = '{}', TEST_RUNS = '' } = process.env;

/** The built-in composition with a quick model beside it, for processes of a test: `fleet.ts` starts them. */
export default defineConfig({
	extends: TEST_PRESET,
	server: JSON.parse(TEST_SERVER),
	jobs: JSON.parse(TEST_JOBS),
	models: { quick: quickVideo({ runs: TEST_RUNS }) },
});
