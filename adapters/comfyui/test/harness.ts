import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelFactory } from '@plinth/core';
import type { ImageEditRequest, ImageInput, ImageRequest, ImageRun } from '@plinth/plugin-image/model';
import type { VideoRequest, VideoResult, VideoRun } from '@plinth/plugin-video/model';
import { createModel, silentLogger } from '@plinth/testing';
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import type { Script } from './scripted/executor.ts';
import { png } from './scripted/files.ts';
import { ScriptedComfy } from './scripted/server.ts';
import { systemClock } from './system-clock.ts';

/** The folder of the workflows, as that of a config. */
export const folder = join(import.meta.dirname, 'workflows');

export const flux = {
	workflow: './flux-dev.json',
	bindings: {
		prompt: '6.inputs.text',
		seed: '25.inputs.noise_seed',
		width: ['27.inputs.width', '30.inputs.width'],
		height: ['27.inputs.height', '30.inputs.height'],
		steps: '17.inputs.steps',
	},
	output: '9',
};

export const wan = {
	workflow: './wan22-t2v.json',
	bindings: {
		prompt: '6.inputs.text',
		negative: '7.inputs.text',
		seed: '3.inputs.seed',
		width: '40.inputs.width',
		height: '40.inputs.height',
		frames: '40.inputs.length',
	},
	output: '47',
	fps: 16,
	frameRule: '4n+1',
};

export const qwen = {
	workflow: './qwen-image-edit.json',
	bindings: {
		prompt: '433:111.inputs.prompt',
		negative: '433:110.inputs.prompt',
		seed: '433:3.inputs.seed',
		steps: '433:3.inputs.steps',
		image: ['78.inputs.image', '79.inputs.image'],
	},
	output: '60',
};

/** The nodes of a workflow. */
export function nodesOf({
	workflow,
}: {
	readonly workflow: string;
}): Record<string, { inputs: Record<string, unknown> }> {
	return JSON.parse(readFileSync(join(folder, workflow), 'utf8'));
}

/** A scripted ComfyUI that ends with the test. */
export async function startComfy(script?: Script): Promise<ScriptedComfy> {
	const comfy = await new ScriptedComfy(script).start();
	onTestFinished(() => comfy.kill());
	return comfy;
}

/** A model that ends with the test, before the servers that were started for it. */
export async function open<M, C extends z.ZodType>(
	factory: ModelFactory<M, C>,
	options: z.input<C>,
	clock = systemClock,
): Promise<M> {
	const { model, close } = await createModel(factory(options), { clock, folder });
	onTestFinished(close);
	return model;
}

export const picture: ImageRequest = {
	prompt: 'A red boat',
	count: 1,
	quality: 'low',
	background: 'auto',
	format: 'png',
	compression: 100,
	moderation: 'auto',
};

export const movie: VideoRequest = { prompt: 'A lighthouse', seconds: 2, size: { width: 640, height: 480 } };

/** An edit of pictures of one colour each. */
export function edit(count: number, changes: Partial<ImageEditRequest> = {}): ImageEditRequest {
	const images = Array.from({ length: count }, (_, index) => input(png(16, 16, index + 1, '')));
	return { ...picture, images, fidelity: 'high', ...changes };
}

export function input(bytes: Uint8Array): ImageInput {
	return {
		...{ mediaType: 'image/png', size: bytes.length, width: 16, height: 16, hasAlpha: false },
		...{ sha256: '0'.repeat(64), source: bytes, bytes: async () => bytes },
	};
}

export function imageRun(changes: Partial<ImageRun> = {}): ImageRun {
	return {
		signal: new AbortController().signal,
		seed: 7,
		partials: 0,
		partial: () => {},
		log: silentLogger(),
		...changes,
	};
}

export function videoRun(changes: Partial<VideoRun> = {}): VideoRun {
	return {
		signal: new AbortController().signal,
		progress: () => {},
		checkpoint: async () => {},
		seed: 7,
		key: 'key-1',
		log: silentLogger(),
		...changes,
	};
}

/** The whole file of a video. */
export async function bytesOf({ body }: VideoResult): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk);
	return Buffer.concat(chunks);
}
