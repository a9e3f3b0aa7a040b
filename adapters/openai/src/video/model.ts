import { type Clock, defineModel, modelError, orAbort, services } from '@plinth/core';
import {
	type VideoModel,
	type VideoRequest,
	type VideoResult,
	type VideoRun,
	videoModels,
} from '@plinth/plugin-video/model';
import { videoAbilityOptions } from '@plinth/toolkit';
import { z } from 'zod';
import { connectionOptions } from '../options.ts';
import type { Upstream } from '../upstream/client.ts';
import { openUpstream } from '../upstream/open.ts';
import type { RequestBody } from '../upstream/request.ts';
import { type VideoDialect, videoDialects } from './dialects.ts';
import { download } from './download.ts';
import { UpstreamJobs } from './jobs.ts';
import { wireRequest } from './request.ts';
import { failureOf, isStopped } from './state.ts';
import { synchronousVideo } from './sync.ts';

const config = z.strictObject({
	...connectionOptions(videoDialects, { dialect: 'openai', timeoutSeconds: 1_800 }),
	/** Seconds between two polls of a video. Default: `openai-poll-after-ms` of the server, or 2. */
	pollSeconds: z.coerce.number<number | string>().min(0.1).max(60).optional(),
	...videoAbilityOptions,
});

type Config = z.output<typeof config>;

/** How long to wait for the id of a video whose job has ended, in order to cancel the video, in milliseconds. */
const lateResponseMs = 30_000;

/** A video model on a server with `/videos`. Videos continue after a restart of either server. */
export const openaiVideo = defineModel({
	kind: videoModels,
	name: 'openai.video',
	description: 'A model on another server, called through its OpenAI-compatible API.',
	ownedBy: 'openai-compatible',
	config,
	needs: { clock: services.clock },
	create(context): VideoModel {
		const { config, id, services } = context;
		const { sizes, seconds, fps, reference } = config;
		const dialect: VideoDialect = videoDialects[config.dialect];
		const upstream = openUpstream(context);
		const common = { apiVersion: 1, abilities: { sizes, seconds, fps, reference }, ...upstream.unloading } as const;
		const bodyOf = (request: VideoRequest, seed: number) =>
			wireRequest(request, { model: config.model ?? id, dialect, seed, extras: config.body });
		if (dialect.create === 'sync') {
			return {
				...common,
				async generate(request, run) {
					run.signal.throwIfAborted();
					const { signal, log } = run;
					const tools = { clock: services.clock, retries: config.retries, signal, log };
					const body = await synchronousVideo(upstream, await bodyOf(request, run.seed), tools);
					return { body, mediaType: 'video/mp4' };
				},
			};
		}
		const client = new VideoClient(upstream, config, services.clock);
		return {
			...common,
			generate: async (request, run) => client.make(() => bodyOf(request, run.seed), run),
			cancel: (id) => client.cancel(id),
		};
	},
});

/** Makes videos through jobs of the server. */
class VideoClient {
	readonly #upstream: Upstream;
	readonly #config: Config;
	readonly #clock: Clock;
	readonly #jobs: UpstreamJobs;

	constructor(upstream: Upstream, config: Config, clock: Clock) {
		this.#upstream = upstream;
		this.#config = config;
		this.#clock = clock;
		this.#jobs = new UpstreamJobs({
			upstream,
			clock,
			pollMs: config.pollSeconds === undefined ? undefined : config.pollSeconds * 1_000,
			maxOutageMs: config.timeoutSeconds * 1_000,
		});
	}

	/** Continues the video of an earlier attempt, or creates one. A lost video is created once more. */
	async make(bodyOf: () => Promise<RequestBody>, run: VideoRun): Promise<VideoResult> {
		run.signal.throwIfAborted();
		let id = run.resume;
		for (let again = false; ; again = true) {
			// The key of the lost video would return that video again.
			id ??= await this.#create(bodyOf, run, again ? `${run.key}-again` : run.key);
			if ((await this.#jobs.watch(id, run, !again)) === 'completed') break;
			if (again) throw modelError('The server of the model has lost the video twice.');
			run.log.warn({ upstream: this.#upstream.host }, 'the server of a model has lost a video');
			id = undefined;
		}
		const { signal, log } = run;
		const path = `/videos/${encodeURIComponent(id)}/content`;
		const body = download((headers) => this.#upstream.send({ method: 'GET', path, headers, signal }), {
			clock: this.#clock,
			retries: this.#config.retries,
			signal,
			log,
		});
		return { body, mediaType: 'video/mp4' };
	}

	async cancel(id: string): Promise<void> {
		await this.#jobs.cancel(id);
	}

	/**
	 * Creates a video. The signal does not abort the request, because the server might create a video that is never
	 * cancelled. After an abort, the response is awaited in the background, and the video is cancelled.
	 */
	async #create(bodyOf: () => Promise<RequestBody>, run: VideoRun, key: string): Promise<string> {
		const late = new AbortController();
		const creating = bodyOf().then((body) => this.#jobs.create(body, key, late.signal));
		const { id, state } = await orAbort(run.signal, creating).catch((error) => {
			if (run.signal.aborted) this.#cancelLate(creating, late);
			throw error;
		});
		if (state.kind === 'failed' && !isStopped(state)) throw failureOf(state);
		try {
			await run.checkpoint(id);
		} catch (error) {
			// Without a checkpoint, no later attempt finds the video.
			this.cancel(id).catch(() => {});
			throw error;
		}
		return id;
	}

	#cancelLate(creating: Promise<{ readonly id: string }>, late: AbortController): void {
		const stop = this.#clock.after(lateResponseMs, () => late.abort());
		creating
			.then(({ id }) => this.cancel(id))
			.catch(() => {})
			.finally(stop);
	}
}
