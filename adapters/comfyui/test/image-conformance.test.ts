import { imageModelSuite } from '@plinth/plugin-image/testing';
import { sharpImages } from '@plinth/sharp';
import { createBackend, createModel } from '@plinth/testing';
import type { ImageCodec } from '@plinth/toolkit';
import { afterAll, describe, test } from 'vitest';
import { comfyui } from '../src/index.ts';
import { flux, folder, qwen } from './harness.ts';
import { ScriptedComfy } from './scripted/server.ts';
import { systemClock } from './system-clock.ts';

const comfy = await new ScriptedComfy({ isForgetful: true, stepMs: 10 }).start();
const { provided: images, stop } = await createBackend<ImageCodec>(sharpImages());

afterAll(async () => {
	await comfy.kill();
	await stop();
});

const kinds = [
	{ name: 'generates', options: flux, supports: { edit: false } },
	{ name: 'edits', options: qwen, supports: { generate: false } },
];

describe.each(kinds)('a workflow that $name keeps the sentence:', ({ options, supports }) => {
	const cases = imageModelSuite({
		create: () =>
			createModel(comfyui.image({ ...options, baseURL: comfy.url, ...(options === qwen && { fit: 'fill' }) }), {
				clock: systemClock,
				folder,
			}),
		images,
		supports: { ...supports, deterministic: true, partials: true, transparency: false },
	});
	// An edit keeps the size of its picture; the plugin fits it.
	const kept = cases.filter(({ name }) => name !== 'edit: a picture has the requested size');
	for (const { name, run } of kept) test(name, run);
});
