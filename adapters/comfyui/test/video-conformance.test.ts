import { videoModelSuite } from '@plinth/plugin-video/testing';
import { createModel } from '@plinth/testing';
import { afterAll, describe, test } from 'vitest';
import { comfyui } from '../src/index.ts';
import { folder, wan } from './harness.ts';
import { ScriptedComfy } from './scripted/server.ts';
import { systemClock } from './system-clock.ts';

const comfy = await new ScriptedComfy({ isForgetful: true, stepMs: 8 }).start();
afterAll(() => comfy.kill());

describe('a workflow keeps the sentence:', () => {
	const cases = videoModelSuite({
		create: () => createModel(comfyui.video({ ...wan, baseURL: comfy.url }), { clock: systemClock, folder }),
		supports: { deterministic: true, progress: true, resume: true },
	});
	for (const { name, run } of cases) test(name, run);
});
