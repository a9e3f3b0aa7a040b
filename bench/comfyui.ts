import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { comfyui as adapter } from '@plinth/comfyui';
import type { ImageModel } from '@plinth/plugin-image/model';
import { createModel, silentLogger } from '@plinth/testing';
import { Agent, request as fetchOnce } from 'undici';
import type { Bench, Row } from './harness/bench.ts';
import { startChild } from './harness/child.ts';
import { cpuFigures, inTurns, type Sample } from './harness/rounds.ts';

const pictures = 60;
/**
 * Milliseconds that the scripted server takes for a picture. The reference waits as long before each fetch, because V8
 * finishes garbage collections in pauses. A process without pauses defers them, and a fetch then takes twice the
 * processor time.
 */
const pauseMs = 15;
const folder = join(import.meta.dirname, '../adapters/comfyui/test/workflows');
const request = {
	prompt: 'A red boat',
	count: 1,
	quality: 'low',
	background: 'auto',
	format: 'png',
	compression: 100,
	moderation: 'auto',
} as const;

/** A picture from a scripted ComfyUI: queue, socket, history, file and its text chunks, against the file alone. */
export const comfyui: Bench = {
	name: 'comfyui',
	about: 'a PNG of 2 MB through a workflow of ComfyUI, against fetching the file with undici at the same pace',
	needs: [],
	async run(): Promise<readonly Row[]> {
		const child = startChild('comfyui.ts');
		const { url } = await child.next<{ url: string }>();
		const config = { baseURL: url, workflow: 'flux-dev.json', output: '9', bindings: { prompt: '6.inputs.text' } };
		const clock = { now: Date.now, after: (ms: number, task: () => void) => clearing(setTimeout(task, ms).unref()) };
		const { model, close } = await createModel<ImageModel>(adapter.image(config), { clock, folder });
		const agent = new Agent();
		try {
			const signal = new AbortController().signal;
			const run = { signal, seed: 7, partials: 0, partial: () => {}, log: silentLogger() };
			const ours = () => measure(async () => void (await model.generate?.(request, run)));
			const reference = () =>
				measure(async () => {
					await delay(pauseMs);
					const { body } = await fetchOnce(`${url}/view?filename=large.png`, { dispatcher: agent });
					await body.bytes();
				});
			await ours();
			await reference();
			const samples = await inTurns(7, { ours, reference });
			return [
				{
					name: 'comfyui image 2 MB',
					unit: 'CPU ms per picture',
					...cpuFigures(samples, 'undici'),
					goal: { of: 'ratio', bound: 'at most', limit: 1.5 },
					note: 'ours also queues the workflow, opens a socket, and looks into the history; both wait between pictures',
				},
			];
		} finally {
			await close();
			await agent.close();
			await child.stop();
		}
	},
};

function clearing(timer: NodeJS.Timeout): () => void {
	return () => clearTimeout(timer);
}

async function measure(once: () => Promise<void>): Promise<Sample> {
	const before = process.cpuUsage();
	const began = performance.now();
	for (let index = 0; index < pictures; index++) await once();
	const { user, system } = process.cpuUsage(before);
	return { cpu: (user + system) / 1_000 / pictures, wall: (performance.now() - began) / pictures };
}
