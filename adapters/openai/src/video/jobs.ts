import { randomUUID } from 'node:crypto';
import { type Clock, isPlinthError } from '@plinth/core';
import type { VideoRun } from '@plinth/plugin-video/model';
import type { UpstreamAnswer } from '../upstream/answer.ts';
import type { Upstream } from '../upstream/client.ts';
import { members } from '../upstream/complaint.ts';
import { answerBehind, brokenAnswer, statusBehind } from '../upstream/failure.ts';
import type { RequestBody } from '../upstream/request.ts';
import { pause, statedWaitMs, withJitter } from '../upstream/retry.ts';
import type { Scrub } from '../upstream/scrub.ts';
import { videoParams } from './request.ts';
import { failureOf, isStopped, stateOf, type VideoState } from './state.ts';

/** Seconds that a question about a video may take. */
const askSeconds = 30;
/** Times in a row that a server may not know a video before it counts as lost: some know it only after a moment. */
const patience = 3;
const usualPollMs = 2_000;
/** Bytes of the record of a video. */
const recordBytes = 1_048_576;

/** What videos are watched with. */
export interface JobsOptions {
	readonly upstream: Upstream;
	readonly clock: Clock;
	/** Milliseconds between two questions; undefined: what the server suggests, or two seconds. */
	readonly pollMs: number | undefined;
	/** Milliseconds for which the server may be away. */
	readonly awayMs: number;
}

/** A video that was begun: its id at the server, and what it said at once. */
export interface Begun {
	readonly id: string;
	readonly state: VideoState;
}

/** The jobs of a server behind `/videos`. */
export class UpstreamJobs {
	readonly #options: JobsOptions;

	constructor(options: JobsOptions) {
		this.#options = options;
	}

	/** Begins a video. A server that knows idempotency keys begins only one for `key`, also after a crash of ours. */
	async begin(body: RequestBody, key: string, signal: AbortSignal): Promise<Begun> {
		try {
			return await this.#create(body, key, signal);
		} catch (error) {
			// The config has changed since the key was used, so this is another request.
			if (answerBehind(error)?.complaint.code !== 'idempotency_mismatch') throw error;
			return this.#create(body, randomUUID(), signal);
		}
	}

	async #create(body: RequestBody, key: string, signal: AbortSignal): Promise<Begun> {
		const answer = await this.#options.upstream.send({
			method: 'POST',
			path: '/videos',
			body,
			headers: { 'idempotency-key': key },
			params: videoParams,
			isCostly: true,
			isPatient: true,
			signal,
		});
		const record = await answer.json(recordBytes);
		const { id } = members(record);
		if (typeof id === 'string' && id !== '') return { id, state: stateOf(record, nameless(id, answer)) };
		throw brokenAnswer(answer.where, 'began a video without an id');
	}

	/**
	 * Waits until a video is completed, or the server does not know it; with `isFirst` a stopped one counts as unknown.
	 * Throws what it failed with. A server that cannot be reached for a while is waited for.
	 */
	async watch(id: string, run: Pick<VideoRun, 'signal' | 'progress'>, isFirst = false): Promise<'completed' | 'lost'> {
		const { clock, awayMs } = this.#options;
		let heard = clock.now();
		for (let unknown = 0; ; ) {
			const { state, waitMs, error } = await this.#look(id, run.signal);
			unknown = error && isUnknown(error) ? unknown + 1 : 0;
			if (unknown === patience) return 'lost';
			if (state) heard = clock.now();
			else if (unknown === 0 && (isFatal(error) || clock.now() - heard >= awayMs)) throw error;
			if (state?.kind === 'completed') return 'completed';
			if (isFirst && state && isStopped(state)) return 'lost';
			if (state?.kind === 'failed') throw failureOf(state);
			if (state?.progress !== undefined) run.progress(state.progress);
			await pause(clock, waitMs, run.signal);
		}
	}

	/** Tells the server to stop; one that does not know the video has. */
	async cancel(id: string): Promise<void> {
		const path = `/videos/${encodeURIComponent(id)}`;
		const { signal } = new AbortController();
		try {
			const request = { method: 'DELETE', path, signal, seconds: askSeconds } as const;
			(await this.#options.upstream.send(request)).discard();
		} catch (error) {
			if (statusBehind(error) !== 404) throw error;
		}
	}

	async #look(id: string, signal: AbortSignal): Promise<Look> {
		const { upstream, clock, pollMs } = this.#options;
		const path = `/videos/${encodeURIComponent(id)}`;
		const usualMs = (pollMs ?? usualPollMs) * (0.8 + 0.4 * Math.random());
		try {
			const request = { method: 'GET', path, signal, retry: false, seconds: askSeconds } as const;
			const answer = await upstream.send(request);
			const suggestedMs = pollMs === undefined ? pollAfter(answer.headers) : undefined;
			const statedMs = statedWaitMs(answer.headers, clock.now()) || suggestedMs;
			const record = await answer.json(recordBytes);
			if (typeof members(record).status !== 'string') {
				throw brokenAnswer(answer.where, 'says nothing of a video');
			}
			const state = stateOf(record, nameless(id, answer));
			return { state, waitMs: statedMs === undefined ? usualMs : withJitter(statedMs) };
		} catch (error) {
			if (signal.aborted) throw signal.reason;
			// Without an answer of the server, the header is ours.
			const isSaid = isPlinthError(error) && statusBehind(error) !== undefined;
			const seconds = isSaid ? Number(error.headers['retry-after']) : Number.NaN;
			return { error, waitMs: seconds > 0 ? withJitter(seconds * 1_000) : usualMs };
		}
	}
}

interface Look {
	readonly state?: VideoState;
	readonly error?: unknown;
	readonly waitMs: number;
}

/** Neither clients nor the log get the server's ids of videos. */
function nameless(id: string, { scrub }: UpstreamAnswer): Scrub {
	return (text) => scrub(text).replaceAll(id, 'the video');
}

function pollAfter(headers: Readonly<Record<string, string>>): number | undefined {
	const ms = Number(headers['openai-poll-after-ms']);
	return ms > 0 ? ms : undefined;
}

/** A proxy whose server starts again also answers 404, but without an error of the API. */
function isUnknown(error: unknown): boolean {
	const { status, complaint } = answerBehind(error) ?? {};
	return status === 404 && (complaint?.message ?? complaint?.code) !== undefined;
}

/** Answers that do not change by asking again. */
function isFatal(error: unknown): boolean {
	const status = statusBehind(error) ?? 500;
	return status < 500 && ![404, 408, 409, 425, 429].includes(status);
}
