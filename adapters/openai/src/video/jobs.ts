import { randomUUID } from 'node:crypto';
import { type Clock, isPlinthError } from '@plinth/core';
import type { VideoRun } from '@plinth/plugin-video/model';
import type { Upstream } from '../upstream/client.ts';
import { errorResponseOf, invalidResponse, statusOf } from '../upstream/failure.ts';
import { members } from '../upstream/reported-error.ts';
import type { RequestBody } from '../upstream/request.ts';
import type { UpstreamResponse } from '../upstream/response.ts';
import { pause, statedWaitMs, withJitter } from '../upstream/retry.ts';
import type { Scrub } from '../upstream/scrub.ts';
import { videoParams } from './request.ts';
import { failureOf, isStopped, stateOf, type VideoState } from './state.ts';

/** Timeout of one poll, in seconds. */
const pollTimeoutSeconds = 30;
/** Consecutive polls with 404 after which a video counts as lost. Some servers list a new video only after a moment. */
const maxUnknown = 3;
const usualPollMs = 2_000;
/** Maximum bytes of a job record. */
const recordBytes = 1_048_576;

/** Dependencies of the jobs. */
export interface JobsOptions {
	readonly upstream: Upstream;
	readonly clock: Clock;
	/** Milliseconds between two polls; undefined: as the server suggests, or two seconds. */
	readonly pollMs: number | undefined;
	/** Maximum milliseconds without a response of the server. */
	readonly maxOutageMs: number;
}

/** A created video: its id at the server, and its first state. */
export interface CreatedVideo {
	readonly id: string;
	readonly state: VideoState;
}

/** The jobs of a server with `/videos`. */
export class UpstreamJobs {
	readonly #options: JobsOptions;

	constructor(options: JobsOptions) {
		this.#options = options;
	}

	/** Creates a video. A server with idempotency keys creates only one for `key`, also after a crash of this process. */
	async create(body: RequestBody, key: string, signal: AbortSignal): Promise<CreatedVideo> {
		try {
			return await this.#createOnce(body, key, signal);
		} catch (error) {
			// The config has changed since the key was used, so the body is another one.
			if (errorResponseOf(error)?.reported.code !== 'idempotency_mismatch') throw error;
			return this.#createOnce(body, randomUUID(), signal);
		}
	}

	async #createOnce(body: RequestBody, key: string, signal: AbortSignal): Promise<CreatedVideo> {
		const answer = await this.#options.upstream.send({
			method: 'POST',
			path: '/videos',
			body,
			headers: { 'idempotency-key': key },
			params: videoParams,
			isCostly: true,
			retriesWhileBusy: true,
			signal,
		});
		const record = await answer.json(recordBytes);
		const { id } = members(record);
		if (typeof id === 'string' && id !== '') return { id, state: stateOf(record, withoutId(id, answer)) };
		throw invalidResponse(answer.where, 'created a video without an id');
	}

	/**
	 * Polls until a video is completed or lost. With `isFirst`, a stopped video counts as lost. Throws the error of a
	 * failed video. Polling continues while the server is unreachable, up to `maxOutageMs`.
	 */
	async watch(id: string, run: Pick<VideoRun, 'signal' | 'progress'>, isFirst = false): Promise<'completed' | 'lost'> {
		const { clock, maxOutageMs } = this.#options;
		let lastResponseAt = clock.now();
		for (let unknown = 0; ; ) {
			const { state, waitMs, error } = await this.#poll(id, run.signal);
			unknown = error && isUnknown(error) ? unknown + 1 : 0;
			if (unknown === maxUnknown) return 'lost';
			if (state) lastResponseAt = clock.now();
			else if (unknown === 0 && (isFatal(error) || clock.now() - lastResponseAt >= maxOutageMs)) throw error;
			if (state?.kind === 'completed') return 'completed';
			if (isFirst && state && isStopped(state)) return 'lost';
			if (state?.kind === 'failed') throw failureOf(state);
			if (state?.progress !== undefined) run.progress(state.progress);
			await pause(clock, waitMs, run.signal);
		}
	}

	/** Cancels a video. A 404 counts as success. */
	async cancel(id: string): Promise<void> {
		const path = `/videos/${encodeURIComponent(id)}`;
		const { signal } = new AbortController();
		try {
			const request = { method: 'DELETE', path, signal, seconds: pollTimeoutSeconds } as const;
			(await this.#options.upstream.send(request)).discard();
		} catch (error) {
			if (statusOf(error) !== 404) throw error;
		}
	}

	async #poll(id: string, signal: AbortSignal): Promise<PollResult> {
		const { upstream, clock, pollMs } = this.#options;
		const path = `/videos/${encodeURIComponent(id)}`;
		const usualMs = (pollMs ?? usualPollMs) * (0.8 + 0.4 * Math.random());
		try {
			const request = { method: 'GET', path, signal, retry: false, seconds: pollTimeoutSeconds } as const;
			const answer = await upstream.send(request);
			const suggestedMs = pollMs === undefined ? pollAfter(answer.headers) : undefined;
			const statedMs = statedWaitMs(answer.headers, clock.now()) || suggestedMs;
			const record = await answer.json(recordBytes);
			if (typeof members(record).status !== 'string') {
				throw invalidResponse(answer.where, 'sent no status of a video');
			}
			const state = stateOf(record, withoutId(id, answer));
			return { state, waitMs: statedMs === undefined ? usualMs : withJitter(statedMs) };
		} catch (error) {
			if (signal.aborted) throw signal.reason;
			// Without a response of the server, this adapter has set the header.
			const hasResponse = isPlinthError(error) && statusOf(error) !== undefined;
			const seconds = hasResponse ? Number(error.headers['retry-after']) : Number.NaN;
			return { error, waitMs: seconds > 0 ? withJitter(seconds * 1_000) : usualMs };
		}
	}
}

interface PollResult {
	readonly state?: VideoState;
	readonly error?: unknown;
	readonly waitMs: number;
}

/** Removes the server's id of the video, which neither clients nor the log may receive. */
function withoutId(id: string, { scrub }: UpstreamResponse): Scrub {
	return (text) => scrub(text).replaceAll(id, 'the video');
}

function pollAfter(headers: Readonly<Record<string, string>>): number | undefined {
	const ms = Number(headers['openai-poll-after-ms']);
	return ms > 0 ? ms : undefined;
}

/** Whether the server does not have the video. A proxy may also send 404 during a restart, but no error body. */
function isUnknown(error: unknown): boolean {
	const { status, reported } = errorResponseOf(error) ?? {};
	return status === 404 && (reported?.message ?? reported?.code) !== undefined;
}

/** Whether another poll would have the same result. */
function isFatal(error: unknown): boolean {
	const status = statusOf(error) ?? 500;
	return status < 500 && ![404, 408, 409, 425, 429].includes(status);
}
