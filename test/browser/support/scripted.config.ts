import { defineConfig } from '@plinth/core';
import { scriptedVideo } from './scripted-video.ts';

/** The built-in composition with a video model that does what its prompt says. */
export default defineConfig({ extends: 'plinth:embedded', models: { scripted: scriptedVideo({}) } });
