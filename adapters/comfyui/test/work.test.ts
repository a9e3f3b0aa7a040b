import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { eventually, manualClock } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { comfyui } from '../src/index.ts';
import {
	bytesOf,
	edit,
	flux,
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

/** A promise that a test resolves. */
function gate() {
	const { promise, resolve } = Promise.withResolvers<void>();
	return { during: () => promise, open: resolve };
}

describe.each([{ isOld: false }, { isOld: true }])('with a server (older: $isOld)', ({ isOld }) => {
	test('progress is one fraction over all nodes, which never falls and counts cached nodes', async () => {
		const comfy = await startComfy({ isOld, steps: 4 });
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const told: number[][] = [[], []];
		for (const list of told) {
			await bytesOf(await model.generate(movie, videoRun({ seed: told.indexOf(list), progress: (f) => list.push(f) })));
		}
		const total = Object.keys(nodesOf(wan)).length;
		for (const list of told) expect(list).toEqual(list.toSorted((a, b) => a - b));
		expect(told[0]?.length).toBeGreaterThan(total - 3);
		expect(told[0]?.at(-1)).toBeGreaterThan((total - 1.5) / total);
		// Loaders, texts and the empty latent were computed by the first prompt.
		expect(told[1]?.find((fraction) => fraction > 0)).toBeGreaterThan(6 / total);
	});

	test('latent previews become partial pictures where they are asked for', async () => {
		const comfy = await startComfy({ isOld });
		const model = await open(comfyui.image, { ...flux, baseURL: comfy.url });
		const shown: string[] = [];
		await model.generate?.(
			picture,
			imageRun({ partials: 2, partial: (one) => 'body' in one && shown.push(one.mediaType) }),
		);
		expect(shown).toEqual(['image/png', 'image/png']);
		expect(comfy.bodies('/prompt')[0]?.extra_data).toEqual({ preview_method: 'auto' });
	});

	test('latent previews of a video are shown where somebody can follow it', async () => {
		const comfy = await startComfy({ isOld });
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const shown: string[] = [];
		await model.generate(movie, videoRun({ preview: ({ mediaType }) => void shown.push(mediaType) }));
		expect(shown).toEqual(Array(4).fill('image/png'));
		await model.generate({ ...movie, prompt: 'A kite' }, videoRun());
		const asked = comfy.bodies('/prompt').map(({ extra_data: extra }) => extra);
		expect(asked).toEqual([{ preview_method: 'auto' }, { preview_method: 'none' }]);
	});

	test('a client that leaves has its running prompt interrupted, and no other', async () => {
		const held = gate();
		const comfy = await startComfy({ isOld, during: held.during });
		const model = await open(comfyui.image, { ...flux, baseURL: comfy.url });
		const [first, second] = [new AbortController(), new AbortController()];
		const works = [first, second].map(({ signal }) => model.generate?.(picture, imageRun({ signal })));
		await eventually('both are queued', () => comfy.busy.length === 2 && comfy.running !== undefined);
		const [running, pending] = comfy.busy;
		second.abort(new Error('left'));
		await expect(works[1]).rejects.toThrow('left');
		await eventually('the pending one is gone', () => comfy.busy.length === 1);
		expect(comfy.running).toBe(running);
		first.abort(new Error('left'));
		await expect(works[0]).rejects.toThrow('left');
		await eventually('nothing runs', () => comfy.busy.length === 0);
		expect(comfy.begun.has(`${pending}`)).toBe(false);
	});

	test('a cancelled video leaves nothing that runs or waits', async () => {
		const comfy = await startComfy({ isOld, during: gate().during });
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const stop = new AbortController();
		const tokens: string[] = [];
		const checkpoint = async (token: string) => void tokens.push(token);
		const work = model.generate(movie, videoRun({ signal: stop.signal, checkpoint }));
		await eventually('it runs', () => comfy.running !== undefined);
		stop.abort(new Error('cancelled'));
		await expect(work).rejects.toThrow('cancelled');
		await model.cancel?.(tokens[0] ?? '');
		expect(comfy.busy).toEqual([]);
	});
});

describe('the work', () => {
	test('goes on with the history when the socket is lost', async () => {
		const held = gate();
		const comfy = await startComfy({ during: held.during });
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const work = model.generate(movie, videoRun());
		await eventually('it runs', () => comfy.running !== undefined);
		const before = comfy.socketHeaders.length;
		comfy.dropSockets();
		await eventually('it listens again', () => comfy.socketHeaders.length > before);
		comfy.dropSockets();
		held.open();
		expect((await bytesOf(await work)).toString('latin1', 4, 8)).toBe('ftyp');
		expect([...comfy.begun.values()]).toEqual([1]);
	});

	test('needs no socket at all', async () => {
		const comfy = await startComfy({ hasNoSocket: true });
		const model = await open(comfyui.image, { ...flux, baseURL: comfy.url });
		expect((await model.generate?.(picture, imageRun()))?.images).toHaveLength(1);
	});

	test('is found again in the queue and in the history by its checkpoint, and never sent twice', async () => {
		const held = gate();
		const comfy = await startComfy({ during: held.during });
		const options = { ...wan, baseURL: comfy.url };
		const tokens: string[] = [];
		const stop = new AbortController();
		const first = (await open(comfyui.video, options)).generate(
			movie,
			videoRun({ signal: stop.signal, checkpoint: async (token) => void tokens.push(token) }),
		);
		await eventually('it runs', () => comfy.running !== undefined);
		stop.abort(new Error('the server stops'));
		await expect(first).rejects.toThrow('the server stops');
		const resume = tokens[0] ?? '';
		expect(resume).toContain(comfy.running);
		const fractions: number[] = [];
		const listening = comfy.socketHeaders.length;
		const second = (await open(comfyui.video, options)).generate(
			movie,
			videoRun({ resume, progress: (f) => fractions.push(f) }),
		);
		await eventually('it looks', () => comfy.asked.filter(({ path }) => path === '/queue').length > 0);
		expect(comfy.socketHeaders.length).toBeGreaterThan(listening);
		held.open();
		await bytesOf(await second);
		// The events reach the client that had sent the prompt.
		expect(Math.max(...fractions)).toBeGreaterThan(0.5);
		const third = (await open(comfyui.video, options)).generate(movie, videoRun({ resume }));
		await bytesOf(await third);
		expect(comfy.bodies('/prompt')).toHaveLength(1);
		expect([...comfy.begun.values()]).toEqual([1]);
		expect(tokens).toHaveLength(1);
	});

	test('writes its checkpoint before the prompt is sent', async () => {
		const comfy = await startComfy();
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		let sentBefore = -1;
		const checkpoint = async () => {
			sentBefore = comfy.bodies('/prompt').length;
		};
		await model.generate(movie, videoRun({ checkpoint }));
		expect(sentBefore).toBe(0);
	});

	test('is sent again, once, when the server has restarted', async () => {
		const held = gate();
		const comfy = await startComfy({ during: held.during });
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const work = model.generate(movie, videoRun());
		await eventually('it runs', () => comfy.running !== undefined);
		await comfy.restart();
		held.open();
		await bytesOf(await work);
		const ids = comfy.bodies('/prompt').map(({ prompt_id: id }) => id);
		expect(ids).toHaveLength(2);
		expect(ids[0]).toBe(ids[1]);
	});

	test('ends when the server restarts a second time while it runs', async () => {
		const comfy = await startComfy({ during: gate().during });
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const work = model.generate(movie, videoRun()).catch((error: Error) => error.message);
		for (const times of [1, 2]) {
			await eventually('it runs', () => comfy.running !== undefined && comfy.bodies('/prompt').length === times);
			await comfy.restart();
		}
		expect(await work).toContain('restarted again');
		expect(comfy.bodies('/prompt')).toHaveLength(2);
	});

	test('ends when somebody takes the prompt out of the queue, of which nobody is told', async () => {
		const comfy = await startComfy({ during: gate().during });
		const clock = manualClock();
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url }, clock);
		const works = [1, 2].map((seed) =>
			model.generate(movie, videoRun({ seed })).catch((error: Error) => error.message),
		);
		await eventually('one waits', () => comfy.busy.length === 2 && comfy.running !== undefined);
		comfy.remove(comfy.busy[1] ?? '');
		// The responses to the prompts may still be on their way when the clock is moved.
		let told: unknown;
		void Promise.race(works).then((message) => {
			told = message;
		});
		await eventually('it is told', async () => {
			await clock.advance(10_000);
			return told !== undefined;
		});
		expect(told).toContain('removed from the queue');
		await comfy.kill();
	});

	test('waits for a server that is not there yet, where nobody waits for the answer', async () => {
		const comfy = await startComfy();
		await comfy.kill();
		const video = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const image = await open(comfyui.image, { ...flux, baseURL: comfy.url });
		await expect(image.generate?.(picture, imageRun())).rejects.toMatchObject({ code: 'E_MODEL_UNAVAILABLE' });
		const work = video.generate(movie, videoRun());
		await comfy.start();
		await bytesOf(await work);
	});

	test('gives up when the server stays away for timeoutSeconds', async () => {
		const comfy = await startComfy({ during: gate().during });
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url, timeoutSeconds: 1 });
		const work = model.generate(movie, videoRun());
		await eventually('it runs', () => comfy.running !== undefined);
		await comfy.kill();
		await expect(work).rejects.toMatchObject({ code: 'E_MODEL_UNAVAILABLE' });
	});

	test('stops at once when it is cancelled while the server is away', async () => {
		const comfy = await startComfy();
		await comfy.kill();
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const stop = new AbortController();
		const resume = `11111111-2222-4333-8444-555555555555 ${comfy.url}`;
		const work = model.generate(movie, videoRun({ signal: stop.signal, resume }));
		let failures = 0;
		const count = () => {
			failures += 1;
		};
		subscribe('undici:client:connectError', count);
		onTestFinished(() => void unsubscribe('undici:client:connectError', count));
		await eventually('the socket and the look have failed', () => failures >= 2);
		stop.abort(new Error('cancelled'));
		await expect(work).rejects.toThrow('cancelled');
	});

	test('goes to the server with the shortest queue, and to none that is away', async () => {
		const comfies = await Promise.all([0, 1, 2].map(() => startComfy({ during: gate().during })));
		await comfies[2]?.kill();
		const model = await open(comfyui.image, { ...flux, baseURL: comfies.map(({ url }) => url) });
		const stop = new AbortController();
		const works = [];
		for (let sum = 1; sum <= 4; sum++) {
			works.push(model.generate?.(picture, imageRun({ seed: sum, signal: stop.signal }))?.catch(() => {}));
			await eventually('it is queued', () => comfies.reduce((all, { busy }) => all + busy.length, 0) === sum);
		}
		expect(comfies.map(({ busy }) => busy.length)).toEqual([2, 2, 0]);
		stop.abort(new Error('enough'));
		await Promise.all(works);
		await eventually('all are stopped', () => comfies.every(({ busy }) => busy.length === 0));
	});

	test('leads to /free after idleSeconds, and by unload', async () => {
		const comfy = await startComfy();
		const clock = manualClock();
		const model = await open(comfyui.image, { ...flux, baseURL: comfy.url, idleSeconds: 60 }, clock);
		const make = async () => {
			let isDone = false;
			const work = model.generate?.(picture, imageRun()).finally(() => {
				isDone = true;
			});
			await eventually('it is made', async () => {
				if (!isDone) await clock.advance(25);
				return isDone;
			});
			await work;
		};
		await make();
		await clock.advance(59_000);
		expect(comfy.freed).toBe(0);
		await clock.advance(2_000);
		await eventually('it is freed', () => comfy.freed === 1);
		await clock.advance(600_000);
		expect(comfy.freed).toBe(1);
		await make();
		await model.unload?.();
		expect(comfy.freed).toBe(2);
	});
});

describe('a failure', () => {
	test.each([
		[
			'a width beyond the bounds of the node',
			{ ...picture, size: { width: 32_000, height: 64 } },
			{ code: 'E_VALUE_INVALID', param: 'size' },
			'binding width: Value 32000 bigger than max of 16384 (width)',
		],
		[
			'a number of steps',
			{ ...picture, steps: 20_000 },
			{ code: 'E_VALUE_INVALID', param: 'num_inference_steps' },
			'binding steps',
		],
	])('of the validation names the binding: %s', async (_what, request, error, message) => {
		const comfy = await startComfy();
		const model = await open(comfyui.image, { ...flux, baseURL: comfy.url });
		const work = model.generate?.(request, imageRun());
		await expect(work).rejects.toMatchObject({ ...error, message: expect.stringContaining(message) });
		expect(comfy.busy).toEqual([]);
	});

	test('of the validation that is no fault of the client stays in the log', async () => {
		const comfy = await startComfy();
		const bindings = { ...flux.bindings, seed: '27.inputs.batch_size' };
		const model = await open(comfyui.image, { ...flux, bindings, baseURL: comfy.url });
		comfy.intercept = ({ method, path }, res) => {
			if (`${method} ${path}` !== 'POST /prompt') return false;
			res.writeHead(400, { 'content-type': 'application/json' });
			const fault = {
				type: 'value_not_in_list',
				message: 'Value not in list',
				details: 'unet_name: secret.safetensors',
			};
			const errors = [{ ...fault, extra_info: { input_name: 'unet_name' } }];
			res.end(JSON.stringify({ error: { message: 'x' }, node_errors: { 12: { errors, dependent_outputs: ['9'] } } }));
			return true;
		};
		const error = await model.generate?.(picture, imageRun()).catch((thrown: Error) => thrown);
		expect(error).toMatchObject({ code: 'E_MODEL_FAILED', message: expect.not.stringContaining('secret') });
		expect(`${(error as Error).cause}`).toContain('node 12: Value not in list (unet_name: secret.safetensors)');
	});

	test('says that a further picture is needed, where the workflow cannot go without it', async () => {
		const comfy = await startComfy();
		const bindings = { ...qwen.bindings, image: ['79.inputs.image', '78.inputs.image'] };
		const model = await open(comfyui.image, { ...qwen, bindings, baseURL: comfy.url });
		const work = model.edit?.(edit(1), imageRun());
		await expect(work).rejects.toMatchObject({ code: 'E_VALUE_MISSING', param: 'image' });
	});

	test('of a video are those that the model states', async () => {
		const comfy = await startComfy({});
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		expect(model.abilities).toEqual({ reference: false, fps: 16 });
		const stated = { sizes: ['640x480' as const], seconds: [2 as const] };
		const told = await open(comfyui.video, { ...wan, ...stated, baseURL: comfy.url });
		expect(told.abilities).toEqual({ ...stated, reference: false, fps: 16 });
	});

	test('of a video without a bound picture names input_reference', async () => {
		const comfy = await startComfy();
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const [reference] = edit(1).images;
		const work = model.generate({ ...movie, ...(reference && { reference }) }, videoRun());
		await expect(work).rejects.toMatchObject({ code: 'E_VALUE_UNSUPPORTED', param: 'input_reference' });
	});

	test.each([
		['torch.OutOfMemoryError', 'Allocation on device 0 would exceed allowed memory.', 'too little memory'],
		['RuntimeError', 'mat1 and mat2 shapes cannot be multiplied', 'The model failed.'],
	])('of a node ends the work: %s', async (type, text, message) => {
		const fail = (node: string) => (node === '13' ? { exception_type: type, exception_message: text } : undefined);
		const comfy = await startComfy({ fail });
		const model = await open(comfyui.image, { ...flux, baseURL: comfy.url });
		const error = await model.generate?.(picture, imageRun()).catch((thrown: Error) => thrown);
		expect(error).toMatchObject({ code: 'E_MODEL_FAILED', message: expect.stringContaining(message) });
		expect(`${(error as Error).cause}`).toContain(`node 13 (SamplerCustomAdvanced) failed with ${type}: ${text}`);
	});

	test('says that the operator has interrupted the work', async () => {
		const comfy = await startComfy({ during: gate().during });
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const work = model.generate(movie, videoRun());
		await eventually('it runs', () => comfy.running !== undefined);
		await fetch(`${comfy.url}/interrupt`, { method: 'POST', body: '{}' });
		await expect(work).rejects.toThrow('interrupted');
	});
});
