import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { comfyui } from '@plinth/comfyui';
import type { ImageModel } from '@plinth/plugin-image/model';
import { createModel, silentLogger } from '@plinth/testing';
import { Agent, request as fetchOnce } from 'undici';
import { withoutMetadata } from '../../plugins/image/src/work/metadata.ts';

// Gets pictures from a scripted ComfyUI, `ours` through the adapter, `undici` without it. Arguments: which, and the
// address. Each message starts a round, which is answered by a `Sample`.
const [side = '', url = ''] = process.argv.slice(2);
const pictures = 60;
/** Milliseconds that the scripted server takes for a picture. The reference waits as long before each fetch. */
const pauseMs = 15;
const folder = join(import.meta.dirname, '../../adapters/comfyui/test/workflows');
const request = {
	prompt: 'A red boat',
	count: 1,
	quality: 'low',
	background: 'auto',
	format: 'png',
	compression: 100,
	moderation: 'auto',
} as const;

const getPicture = side === 'ours' ? await throughAdapter() : withUndici();
process.on('message', async () => process.send?.(await round()));
process.send?.('ready');

async function throughAdapter(): Promise<() => Promise<unknown>> {
	const config = { baseURL: url, workflow: 'flux-dev.json', output: '9', bindings: { prompt: '6.inputs.text' } };
	const clock = { now: Date.now, after: (ms: number, task: () => void) => clearing(setTimeout(task, ms).unref()) };
	const { model } = await createModel<ImageModel>(comfyui.image(config), { clock, folder });
	const { signal } = new AbortController();
	const run = { signal, seed: 7, partials: 0, partial: () => {}, log: silentLogger() };
	return async () => {
		const [picture] = (await model.generate?.(request, run))?.images ?? [];
		if (!picture || !('body' in picture)) throw new Error('the model made no file');
		return withoutMetadata(picture.body, 'png');
	};
}

function withUndici(): () => Promise<unknown> {
	const dispatcher = new Agent();
	return async () => {
		await delay(pauseMs);
		const { body } = await fetchOnce(`${url}/view?filename=large.png`, { dispatcher });
		return body.bytes();
	};
}

function clearing(timer: NodeJS.Timeout): () => void {
	return () => clearTimeout(timer);
}

async function round() {
	const before = process.cpuUsage();
	const began = performance.now();
	for (let index = 0; index < pictures; index++) await getPicture();
	const { user, system } = process.cpuUsage(before);
	return { cpu: (user + system) / 1_000 / pictures, wall: (performance.now() - began) / pictures };
}
