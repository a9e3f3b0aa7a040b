import { defineConfig } from '@plinth/core';
import { video } from '@plinth/plugin-video';

const { TEST_JOBS = '{}', TEST_SERVER = '{}' } = process.env;

/** The default composition as the upstream of another Plinth server. Started by `plinth-pair.ts`. */
export default defineConfig({
	extends: 'plinth:embedded',
	server: JSON.parse(TEST_SERVER),
	jobs: JSON.parse(TEST_JOBS),
	plugins: { video: video({ pollAfterMs: 200 }) },
});
