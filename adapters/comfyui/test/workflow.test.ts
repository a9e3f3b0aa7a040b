import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModel } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { comfyui } from '../src/index.ts';
import { framesFor } from '../src/video.ts';
import {
	edit,
	flux,
	folder,
	imageRun,
	movie,
	nodesOf,
	open,
	picture,
	qwen,
	startComfy,
	videoRun,
	wan,
} from './harness.ts';
import { systemClock } from './system-clock.ts';

const baseURL = 'http://127.0.0.1:1';

/** The message with which a model is not created. */
function refusal(options: object, from = folder): Promise<string> {
	const made = createModel(comfyui.image({ baseURL, ...flux, ...options } as never), {
		clock: systemClock,
		folder: from,
	});
	return made.then(
		() => 'it was created',
		(error: Error) => error.message,
	);
}

describe('a config is refused at boot, with what is wrong and the remedy:', () => {
	test.each([
		[
			'a node that is not there',
			{ bindings: { ...flux.bindings, prompt: '99.inputs.text' } },
			'bindings.prompt: there is no node 99',
		],
		[
			'an input that is not there',
			{ bindings: { prompt: '6.inputs.prompt' } },
			'node 6 (CLIPTextEncode) has no input prompt; its inputs: text, clip',
		],
		['an output that is not there', { output: '99' }, 'output: there is no node 99'],
		[
			'an output that saves nothing',
			{ output: '13' },
			'output: node 13 (SamplerCustomAdvanced) saves nothing: node 8 reads',
		],
		['neither prompt nor image', { bindings: { seed: '25.inputs.noise_seed' } }, 'neither prompt nor image is bound'],
		['a file that is not there', { workflow: './none.json' }, 'none.json cannot be used: ENOENT'],
		['a binding of another form', { bindings: { prompt: '/6/inputs/text' } }, 'Expected NODE.inputs.NAME'],
		['an address of another kind', { baseURL: 'ws://gpu-1:8188' }, 'Expected an address such as'],
		['an unknown binding', { bindings: { ...flux.bindings, widht: '27.inputs.width' } }, 'widht'],
	])('%s', async (_what, options, message) => {
		expect(await refusal(options)).toContain(message);
	});

	test('all mistakes at once', async () => {
		const told = await refusal({ output: '99', bindings: { prompt: '98.inputs.text', seed: '97.inputs.seed' } });
		for (const node of ['97', '98', '99']) expect(told).toContain(`there is no node ${node}`);
	});

	test('a workflow in the format of the editor', async () => {
		const dir = await mkdtemp(join(tmpdir(), 'plinth-test-comfyui-'));
		onTestFinished(() => rm(dir, { recursive: true }));
		await writeFile(join(dir, 'flux-dev.json'), JSON.stringify({ nodes: [], links: [] }));
		expect(await refusal({}, dir)).toContain('Export it in ComfyUI with "Export (API)"');
	});

	test('a node that only sends over the socket', async () => {
		const dir = await mkdtemp(join(tmpdir(), 'plinth-test-comfyui-'));
		onTestFinished(() => rm(dir, { recursive: true }));
		const nodes = { ...nodesOf(flux), 9: { class_type: 'SaveImageWebsocket', inputs: { images: ['8', 0] } } };
		await writeFile(join(dir, 'flux-dev.json'), JSON.stringify(nodes));
		expect(await refusal({}, dir)).toContain('SaveImageWebsocket) saves nothing');
	});

	test('frames without fps', async () => {
		const { fps: _, ...options } = wan;
		const made = createModel(comfyui.video({ ...options, baseURL }), { clock: systemClock, folder });
		await expect(made).rejects.toThrow('The binding frames needs fps');
	});
});

describe('a prompt', () => {
	test('has the values of the request in all places of their bindings, and the rest of the file', async () => {
		const comfy = await startComfy();
		const model = await open(comfyui.image, { ...flux, baseURL: comfy.url });
		await model.generate?.({ ...picture, size: { width: 320, height: 64 }, steps: 3 }, imageRun());
		const [{ prompt = {} } = {}] = comfy.bodies('/prompt') as [{ prompt: ReturnType<typeof nodesOf> }];
		const expected = nodesOf(flux);
		for (const id of ['27', '30']) Object.assign(expected[id]?.inputs ?? {}, { width: 320, height: 64 });
		Object.assign(expected['6']?.inputs ?? {}, { text: 'A red boat' });
		Object.assign(expected['17']?.inputs ?? {}, { steps: 3 });
		Object.assign(expected['25']?.inputs ?? {}, { noise_seed: 7 });
		expect(prompt).toEqual(expected);
	});

	test('has frames by the rule of the config: 2 s at 16 fps make 33', async () => {
		const comfy = await startComfy();
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		await model.generate(movie, videoRun());
		const [{ prompt } = {}] = comfy.bodies('/prompt') as [{ prompt: ReturnType<typeof nodesOf> }];
		expect(prompt?.['40']?.inputs).toMatchObject({ length: 33, width: 640, height: 480 });
		expect(prompt?.['7']?.inputs.text).toBe('blurred, still');
	});

	test.each([
		[2, 16, '4n+1', 33],
		[2, 24, '8n+1', 49],
		[4, 16, '4n', 64],
		[2, 12.5, 'n', 25],
		[2, 8, '4n+1', 17],
	])('of %d s at %d fps with %s has %d frames', (seconds, fps, rule, frames) => {
		expect(framesFor(seconds, fps, rule)).toBe(frames);
	});

	test('gets the pictures of an edit as files of the job in a folder of ours', async () => {
		const comfy = await startComfy();
		const model = await open(comfyui.image, { ...qwen, baseURL: comfy.url });
		await model.edit?.(edit(2), imageRun());
		const [{ prompt, prompt_id: id } = {}] = comfy.bodies('/prompt') as [
			{ prompt: ReturnType<typeof nodesOf>; prompt_id: string },
		];
		expect(prompt?.['78']?.inputs.image).toBe(`plinth/${id}-image-1.png`);
		expect(prompt?.['79']?.inputs.image).toBe(`plinth/${id}-image-2.png`);
		const sent = edit(2).images[1];
		expect(comfy.files.get(`input/plinth/${id}-image-2.png`)).toEqual(Buffer.from((await sent?.bytes()) ?? []));
	});

	test('goes without the nodes of pictures that were not sent', async () => {
		const comfy = await startComfy();
		const model = await open(comfyui.image, { ...qwen, baseURL: comfy.url });
		expect(model.abilities?.images).toBe(2);
		expect(model.generate).toBeUndefined();
		await model.edit?.(edit(1), imageRun());
		const [{ prompt = {} } = {}] = comfy.bodies('/prompt') as [{ prompt: ReturnType<typeof nodesOf> }];
		expect(Object.keys(prompt)).not.toContain('79');
		expect(Object.keys(prompt)).not.toContain('433:118');
		expect(prompt['433:111']?.inputs).not.toHaveProperty('image2');
		expect(prompt['433:111']?.inputs).toHaveProperty('image1');
	});

	test('takes a mask where one is bound', async () => {
		const comfy = await startComfy();
		const bindings = { ...qwen.bindings, image: '78.inputs.image', mask: '79.inputs.image' };
		const model = await open(comfyui.image, { ...qwen, bindings, baseURL: comfy.url });
		expect(model.abilities).toMatchObject({ images: 1, mask: true });
		const { images } = edit(1);
		await model.edit?.(edit(1, { ...(images[0] && { mask: images[0] }) }), imageRun());
		const [{ prompt, prompt_id: id } = {}] = comfy.bodies('/prompt') as [
			{ prompt: ReturnType<typeof nodesOf>; prompt_id: string },
		];
		expect(prompt?.['79']?.inputs.image).toBe(`plinth/${id}-mask.png`);
	});

	test('has a canonical id of ours, and asks for no previews', async () => {
		const comfy = await startComfy();
		const model = await open(comfyui.image, { ...flux, baseURL: comfy.url });
		await model.generate?.(picture, imageRun());
		const [{ prompt_id: id, extra_data: extra } = {}] = comfy.bodies('/prompt');
		expect(id).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
		expect(extra).toEqual({ preview_method: 'none' });
		expect(comfy.asked.every(({ headers }) => headers.origin === undefined)).toBe(true);
	});

	test('carries the headers of the config, also to the socket', async () => {
		const comfy = await startComfy();
		const model = await open(comfyui.image, {
			...flux,
			baseURL: comfy.url,
			headers: { authorization: 'Bearer of-the-proxy' },
		});
		await model.generate?.(picture, imageRun());
		expect(comfy.asked.every(({ headers }) => headers.authorization === 'Bearer of-the-proxy')).toBe(true);
		expect(comfy.socketHeaders).toMatchObject([{ authorization: 'Bearer of-the-proxy' }]);
	});
});
