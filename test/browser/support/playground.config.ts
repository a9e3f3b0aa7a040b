import { setTimeout as delay } from 'node:timers/promises';
import { defineConfig, defineModel, modelError } from '@plinth/core';
import { videoModels } from '@plinth/plugin-video/model';
import { z } from 'zod';
import { fakeChat } from '../../support/fake-chat.ts';
import { fakeTranscription } from '../../support/fake-transcription.ts';
import { solidPng } from '../../support/png.ts';

/** Shows unfinished pictures and never ends; with the prompt `fail` it fails immediately. */
const unfinishedVideo = defineModel({
	kind: videoModels,
	name: 'test.unfinished',
	config: z.strictObject({}),
	create: () => ({
		apiVersion: 1 as const,
		async generate({ prompt }, { signal, progress, preview }) {
			progress(0.4);
			if (prompt === 'fail') throw modelError('The model has <b>no</b> memory left.');
			// Sent several times, because the client may subscribe only after it has created the job.
			for (let blue = 100; ; blue += 1) {
				preview?.({ body: solidPng(64, 64, [20, 90, blue % 256]), mediaType: 'image/png' });
				await delay(300, undefined, { signal });
			}
		},
	}),
});

/** The built-in composition with models for the capabilities that it lacks. */
export default defineConfig({
	extends: 'plinth:embedded',
	models: {
		'hear-1': fakeTranscription(),
		'echo-1': fakeChat(),
		'paced-1': fakeChat({ held: () => delay(40) }),
		'unfinished-1': unfinishedVideo({}),
	},
});
