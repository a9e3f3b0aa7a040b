import { defineConfig } from '@plinth/core';
import { scriptedVideo } from './scripted-video.ts';

/** Like `scripted.config.ts`, without the event feed. */
export default defineConfig({
	extends: 'plinth:embedded',
	models: { scripted: scriptedVideo({}) },
	plugins: { events: false },
});
