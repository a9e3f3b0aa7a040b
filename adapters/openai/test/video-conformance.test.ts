import { setTimeout as delay } from 'node:timers/promises';
import { smallMp4, videoModelSuite } from '@plinth/plugin-video/testing';
import { createModel } from '@plinth/testing';
import { afterAll, describe, test } from 'vitest';
import { openai } from '../src/index.ts';
import { systemClock } from './system-clock.ts';
import { bytes, failure, type Handler, json, startScripted } from './upstream.ts';

interface Job {
	readonly film: Buffer;
	looks: number;
}

const jobs = new Map<string, Job>();

/** A server of videos that are completed at the second status request. */
const upstreamHandler: Handler = async (request, res) => {
	await delay(1);
	const [, id = '', content] = /^\/v1\/videos\/([^/]+)(\/content)?$/.exec(request.path) ?? [];
	if (request.method === 'POST') {
		const made = `job_${jobs.size}`;
		jobs.set(made, { film: videoOf(request.json), looks: 0 });
		return json({ id: made, object: 'video', status: 'queued', progress: 0 })(request, res);
	}
	const job = jobs.get(id);
	if (!job) return failure(404, { message: 'There is no such video.' })(request, res);
	if (request.method === 'DELETE') return json({ id, deleted: true })(request, res);
	if (content) return bytes(job.film, 'video/mp4')(request, res);
	job.looks += 1;
	const state = job.looks > 1 ? { status: 'completed', progress: 100 } : { status: 'in_progress', progress: 40 };
	return json({ id, object: 'video', ...state })(request, res);
};

function videoOf({ size, seconds, seed, input_reference: picture }: Readonly<Record<string, unknown>>) {
	const [width = 0, height = 0] = `${size}`.split('x').map(Number);
	return smallMp4({ width, height, seconds: Number(seconds) }, `${seed} ${picture ?? ''}`);
}

const upstream = await startScripted(upstreamHandler);
afterAll(() => upstream.close());

describe('a model with an upstream conforms:', () => {
	const cases = videoModelSuite({
		create() {
			const options = { baseURL: upstream.baseURL, dialect: 'sglang', pollSeconds: 0.1 } as const;
			return createModel(openai.video(options), { clock: systemClock });
		},
		supports: { deterministic: true, progress: true, resume: true },
	});
	for (const { name, run } of cases) test(name, run);
});
