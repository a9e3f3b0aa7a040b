import { setTimeout as delay } from 'node:timers/promises';
import { defineModel, modelError } from '@plinth/core';
import { type VideoModel, videoModels } from '@plinth/plugin-video/model';
import { z } from 'zod';
import { tinyMp4, tinyPoster } from '../../support/fake-models.ts';

const steps = 20;

/**
 * A video model that does what its prompt says: `ms=2000` takes this long, with twenty steps of progress and a picture
 * of each second; `fail: text` fails with that text; `warn: text` makes a video with that warning.
 */
export const scriptedVideo = defineModel({
	kind: videoModels,
	name: 'test.scripted',
	config: z.strictObject({}),
	create: (): VideoModel => ({
		apiVersion: 1,
		async generate({ prompt }, { signal, progress, preview }) {
			const ms = Number(/\bms=(\d+)/.exec(prompt)?.[1] ?? 0);
			for (let step = 1; ms > 0 && step <= steps; step++) {
				await delay(ms / steps, undefined, { signal });
				progress(step / steps);
				preview?.({ body: tinyPoster, mediaType: 'image/png' });
			}
			const [, failure] = /^fail: (.+)$/s.exec(prompt) ?? [];
			if (failure) throw modelError(failure);
			const [, warning] = /^warn: (.+)$/s.exec(prompt) ?? [];
			const warnings = warning ? [warning] : [];
			return { body: tinyMp4, mediaType: 'video/mp4', poster: { body: tinyPoster, mediaType: 'image/png' }, warnings };
		},
	}),
});
