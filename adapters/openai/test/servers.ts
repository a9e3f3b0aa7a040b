import { isPlinthError } from '@plinth/core';
import { openai } from '../src/index.ts';
import type { Cell } from './features.ts';
import { modelOf } from './harness.ts';
import { atOnce } from './kinds.ts';
import { obliging } from './opened.ts';
import { codec } from './pictures.ts';
import { scripted } from './upstream.ts';
import { studio } from './videos.ts';

export const images = await codec();

/** `no` for what is refused. */
export async function unlessRefused(work: Promise<unknown>): Promise<Cell> {
	try {
		await work;
		return 'yes';
	} catch (error) {
		if (isPlinthError(error) && error.spec.status === 400) return 'no';
		throw error;
	}
}

export const yes = (is: boolean): Cell => (is ? 'yes' : 'no');

export async function chatOf(dialect: string, options: object = {}) {
	const upstream = await scripted(obliging);
	const { baseURL } = upstream;
	const model = await modelOf(openai.chat({ baseURL, dialect, ...options } as never));
	return { model, said: () => upstream.got[0]?.json ?? {} };
}

export async function painterOf(dialect: string) {
	const upstream = await scripted(obliging);
	const model = openai.image({ baseURL: upstream.baseURL, dialect } as never);
	return { upstream, model: await modelOf(model, { images }) };
}

export async function studioOf(dialect: string, part: Parameters<typeof studio>[0] = {}) {
	const started = await studio(part, { dialect });
	if (dialect === 'localai' && !part?.create) started.state.create = atOnce;
	return started;
}
