import type { VideoModel, VideoRequest, VideoResult, VideoRun } from '@plinth/plugin-video/model';
import { silentLogger } from '@plinth/testing';
import { openai } from '../src/index.ts';
import { fastForwardClock } from './fast-forward-clock.ts';
import { all, keptLog, modelOf } from './harness.ts';
import { bytes, type Handler, json, type ScriptedUpstream, scripted, type UpstreamRequest } from './upstream.ts';

/** The smallest data with the header of an MP4. */
export const mp4 = Buffer.from('\0\0\0\x10ftypisom\0\0\0\0 a video', 'latin1');

/** Handlers of a video server. By default, all of them succeed. */
export interface VideoServer {
	/** Handles `POST /v1/videos`. */
	create: Handler;
	/** Handles `GET /v1/videos/{id}`. Each of several handlers is used once; the last one repeats. */
	poll: Handler[];
	/** Handles `GET …/content`, likewise. */
	content: Handler[];
	/** Handles `DELETE`. */
	cancel: Handler;
}

/** A response with the record of a video. */
export const record = (status: string, more: object = {}) => json({ id: 'up_1', object: 'video', status, ...more });

/** Starts a video server and creates a model for it. */
export async function createVideoModel(part: Partial<VideoServer> = {}, options: object = {}) {
	const state: VideoServer = {
		create: record('queued', { progress: 0 }),
		poll: [record('completed', { progress: 100 })],
		content: [bytes(mp4, 'video/mp4')],
		cancel: json({ id: 'up_1', deleted: true }),
		...part,
	};
	const upstream = await scripted((request, res) => handlerOf(state, request)(request, res));
	const clock = fastForwardClock();
	const { log, lines } = keptLog();
	const instance = openai.video({ baseURL: upstream.baseURL, ...options });
	const model = await modelOf(instance, { clock, log });
	return { state, upstream, clock, lines, model };
}

function handlerOf(state: VideoServer, { method, path }: UpstreamRequest): Handler {
	if (method === 'POST') return state.create;
	if (method === 'DELETE') return state.cancel;
	const list = path.endsWith('/content') ? state.content : state.poll;
	return (list.length > 1 ? list.shift() : list[0]) as Handler;
}

/** The received requests, as `GET /v1/videos/up_1`. */
export function requestLines({ requests }: ScriptedUpstream): string[] {
	return requests.map(({ method, path }) => `${method} ${path}`);
}

/** One attempt of a job. */
export interface Attempt {
	readonly progress: number[];
	readonly checkpoints: string[];
	readonly stop: AbortController;
	readonly result: Promise<VideoResult>;
	/** The bytes of the video. */
	bytes(): Promise<Buffer>;
}

/** Calls a model as the video plugin does. */
export function attempt(model: VideoModel, request: Partial<VideoRequest> = {}, run: Partial<VideoRun> = {}): Attempt {
	const [progress, checkpoints]: [number[], string[]] = [[], []];
	const stop = new AbortController();
	const result = model.generate(
		{ prompt: 'a cat', seconds: 4, size: { width: 720, height: 1280 }, ...request },
		{
			signal: stop.signal,
			progress: (fraction) => void progress.push(fraction),
			checkpoint: async (token) => void checkpoints.push(token),
			seed: 4_294_967_295,
			key: 'key-1',
			log: silentLogger(),
			...run,
		},
	);
	result.catch(() => {});
	return {
		progress,
		checkpoints,
		stop,
		result,
		async bytes() {
			const { body } = await result;
			return body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat(await all(body));
		},
	};
}
