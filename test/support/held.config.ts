import { defineConfig } from '@plinth/core';
import { gate, heldVideo } from './fake-models.ts';

/** The built-in composition with a model that never ends: what a job costs is left out of what its upload costs. */
export default defineConfig({
	extends: 'plinth:embedded',
	models: { 'held-1': heldVideo(gate()) },
});
