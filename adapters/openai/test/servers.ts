import { isPlinthError } from '@plinth/core';
import { openai } from '../src/index.ts';
import type { Cell } from './features.ts';
import { modelOf } from './harness.ts';
import { finishedVideo } from './kinds.ts';
import { codec } from './pictures.ts';
import { workingServer } from './scripted-models.ts';
import { scripted } from './upstream.ts';
import { createVideoModel } from './videos.ts';

export const images = await codec();

/** `no` when the request is rejected, otherwise `yes`. */
export async function noIfRejected(work: Promise<unknown>): Promise<Cell> {
	try {
		await work;
		return 'yes';
	} catch (error) {
		if (isPlinthError(error) && error.spec.status === 400) return 'no';
		throw error;
	}
}

export const yesIf = (is: boolean): Cell => (is ? 'yes' : 'no');

export async function chatOf(dialect: string, options: object = {}) {
	const upstream = await scripted(workingServer);
	const { baseURL } = upstream;
	const model = await modelOf(openai.chat({ baseURL, dialect, ...options } as never));
	return { model, said: () => upstream.requests[0]?.json ?? {} };
}

export async function imageModelOf(dialect: string) {
	const upstream = await scripted(workingServer);
	const model = openai.image({ baseURL: upstream.baseURL, dialect } as never);
	return { upstream, model: await modelOf(model, { images }) };
}

export async function videoModelOf(dialect: string, part: Parameters<typeof createVideoModel>[0] = {}) {
	const started = await createVideoModel(part, { dialect });
	if (dialect === 'localai' && !part?.create) started.state.create = finishedVideo;
	return started;
}
