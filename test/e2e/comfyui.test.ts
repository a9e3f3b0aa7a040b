import { join } from 'node:path';
import { comfyui } from '@plinth/comfyui';
import { memoryBlobs, memoryEvents, memoryJobs, memoryRecords } from '@plinth/memory';
import { image } from '@plinth/plugin-image';
import { video } from '@plinth/plugin-video';
import { sharpImages } from '@plinth/sharp';
import { eventually, testApp } from '@plinth/testing';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { flux, folder, startComfy, wan } from '../../adapters/comfyui/test/harness.ts';

/** ComfyUI writes the prompt, as part of the workflow, into every file. */
const prompt = 'A red boat at dawn';
const timeout = 30_000;

async function app(keepMetadata: boolean) {
	const { url: baseURL } = await startComfy();
	const common = { baseURL, keepMetadata };
	return testApp({
		onTestFinished,
		realTime: true,
		backends: {
			jobs: memoryJobs(),
			records: memoryRecords(),
			events: memoryEvents(),
			blobs: memoryBlobs(),
			images: sharpImages(),
		},
		models: {
			flux: comfyui.image({ ...flux, ...common, workflow: join(folder, flux.workflow) }),
			wan: comfyui.video({ ...wan, ...common, workflow: join(folder, wan.workflow) }),
		},
		plugins: { image: image(), video: video() },
	});
}

test.each([
	['png', true],
	['png', false],
	['jpeg', true],
])('a picture as %s with keepMetadata %s', { timeout }, async (format, keepMetadata) => {
	const { post } = await app(keepMetadata);
	const answer = await post('/v1/images/generations', { model: 'flux', prompt, output_format: format });
	const { data } = (await answer.json()) as { data: [{ b64_json: string }] };
	const file = Buffer.from(data[0].b64_json, 'base64');
	expect((await sharp(file).metadata()).format).toBe(format);
	// Another format is encoded anew, without metadata.
	expect(file.includes(prompt)).toBe(keepMetadata && format === 'png');
});

test.each([true, false])('a video with keepMetadata %s', { timeout }, async (keepMetadata) => {
	const { get, post } = await app(keepMetadata);
	const made = await post('/v1/videos', { model: 'wan', prompt, size: '640x480', seconds: '2' });
	const { id } = (await made.json()) as { id: string };
	const statusOf = async () => ((await (await get(`/v1/videos/${id}`)).json()) as { status: string }).status;
	await eventually('completed', async () => (await statusOf()) === 'completed', timeout);
	const file = Buffer.from(await (await get(`/v1/videos/${id}/content`)).arrayBuffer());
	expect(file.toString('latin1', 4, 8)).toBe('ftyp');
	expect(file.includes(prompt)).toBe(keepMetadata);
});
