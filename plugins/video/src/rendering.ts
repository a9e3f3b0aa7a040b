import { createHash } from 'node:crypto';
import {
	type BlobStore,
	type BoundModel,
	isPlinthError,
	type Job,
	type JobRun,
	type ModelCall,
	type Models,
	PlinthError,
} from '@plinth/core';
import { type Checkpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import type { VideoModel, VideoPreview, VideoRequest, VideoRun } from './model.ts';
import type { VideoOutput } from './record.ts';
import { checkResult, storeResult } from './result.ts';

/** Inputs of one attempt at a job. */
export interface RenderOptions {
	readonly models: Models<VideoModel>;
	readonly blobs: BlobStore;
	readonly job: Job;
	readonly run: JobRun;
	readonly request: VideoRequest;
	/** Returns the seed for a model. */
	seedFor(id: string): number;
	/** Publishes a preview. */
	readonly preview?: ((picture: VideoPreview) => void) | undefined;
}

type Call = Pick<ModelCall<VideoModel>, 'id' | 'model' | 'signal'>;

/**
 * One attempt at a video. A fallback model can take over until all bytes are stored, but not after a model
 * has written a checkpoint. A checkpoint represents paid work at an upstream; only the model that wrote it
 * can resume it, in this and in later attempts.
 */
export class Rendering {
	readonly #options: RenderOptions;
	readonly #seed: number;
	/** The checkpoint to resume from; the job is bound to its model. */
	#resumePoint: Checkpoint | undefined;
	/** The call, in this attempt, of the model that the job is bound to. */
	#boundCall: Call | undefined;
	#failure: { readonly error: unknown } | undefined;
	#callCount = 0;

	constructor(options: RenderOptions) {
		const { models, job, run, seedFor } = options;
		this.#options = options;
		this.#seed = seedFor(findModel(models, job.model)?.id ?? job.model);
		if (run.resume !== undefined) this.#resumePoint = resumePointOf(run.resume, options);
	}

	/** Renders and stores the video. Rejects with `E_MODEL_NOT_FOUND` when the model was removed from the config. */
	async make(): Promise<VideoOutput> {
		const { models, job, run } = this.#options;
		const caller = { principal: { tenant: job.tenant }, signal: run.signal, log: run.log };
		const id = this.#resumePoint?.model ?? job.model;
		try {
			return await models.ask(id, caller, (call) => this.#tryModel(call));
		} catch (error) {
			const failure = this.#failure ? this.#failure.error : error;
			if (!this.#resumePoint || run.signal.aborted) throw failure;
			if (this.#boundCall) throw this.#boundFailure(this.#boundCall, failure);
			// The model's queue is full or its circuit breaker is open. Fetch its upstream work nevertheless.
			return this.#render({ ...models.get(id), signal: run.signal });
		}
	}

	async #tryModel(call: Call): Promise<VideoOutput> {
		if (this.#resumePoint && this.#resumePoint.model !== call.id) throw boundElsewhere();
		try {
			return await this.#render(call);
		} catch (error) {
			if (this.#resumePoint?.model !== call.id) throw error;
			this.#failure = { error };
			throw boundElsewhere();
		}
	}

	async #render(call: Call): Promise<VideoOutput> {
		const { blobs, run, request } = this.#options;
		const { id, model, signal } = call;
		this.#callCount += 1;
		if (this.#resumePoint) this.#boundCall = call;
		// An aborted call may still be writing when the next call starts.
		const prefix = this.#callCount === 1 ? '' : `${this.#callCount}-`;
		const result = await model.generate(request, this.#runOf(call));
		signal.throwIfAborted();
		checkResult(id, result);
		const blobKey = (name: string) => run.blobKey(`${prefix}${name}`);
		return storeResult(result, { blobs, keyOf: blobKey, signal, log: run.log });
	}

	#runOf(call: Call): VideoRun {
		const { run, preview } = this.#options;
		const { signal } = call;
		return {
			signal,
			progress: (fraction) => {
				if (!signal.aborted) run.progress(fraction);
			},
			...(preview && {
				preview: (picture) => {
					if (!signal.aborted) preview(picture);
				},
			}),
			checkpoint: (token) => this.#saveCheckpoint(call, token),
			...(this.#resumePoint ? { resume: this.#resumePoint.token } : {}),
			seed: this.#seed,
			key: keyOf(this.#options.job.id, call.id),
			log: run.log,
		};
	}

	async #saveCheckpoint(call: Call, token: string): Promise<void> {
		const { run } = this.#options;
		if (typeof token !== 'string') throw new TypeError('A checkpoint is a string.');
		if (call.signal.aborted && !run.signal.aborted) {
			// This call was aborted and another model may be running: no attempt will read the token.
			await call.model.cancel?.(token);
			throw call.signal.reason;
		}
		// Set before the write, because a failed write may have taken place.
		this.#resumePoint = { model: call.id, token };
		this.#boundCall = call;
		await run.checkpoint(writeCheckpoint(this.#resumePoint));
	}

	/** The failure of the bound model. After an abort, cancels the upstream work, because no attempt will fetch it. */
	#boundFailure({ model, signal }: Call, failure: unknown): unknown {
		const { log } = this.#options.run;
		if (!signal.aborted) return failure;
		const { token = '' } = this.#resumePoint ?? {};
		(async () => model.cancel?.(token))().catch((err: unknown) =>
			log.warn({ err }, 'the upstream work of a job could not be stopped'),
		);
		return signal.reason;
	}
}

function keyOf(job: string, model: string): string {
	return createHash('sha256').update(`${job} ${model}`).digest('hex').slice(0, 32);
}

/** Stops the fallback to other models. The caller throws the actual failure afterwards. */
function boundElsewhere(): PlinthError {
	return new PlinthError('E_VIDEO_TIED', {
		status: 500,
		code: null,
		type: 'server_error',
		message: 'The video is bound to another model.',
	});
}

/**
 * The checkpoint of an earlier attempt. Undefined when its model was removed from the config and the model of
 * the job still exists.
 */
function resumePointOf(resume: string, { models, job, run }: RenderOptions): Checkpoint | undefined {
	const { model, token } = readCheckpoint(resume, job.model);
	const id = findModel(models, model)?.id;
	if (id !== undefined || model === job.model) return { model: id ?? model, token };
	run.log.warn({ model }, 'the model that has started a video was removed from the config; the video is started again');
	return undefined;
}

function findModel(models: Models<VideoModel>, id: string): BoundModel<VideoModel> | undefined {
	try {
		return models.get(id);
	} catch (error) {
		if (isPlinthError(error) && error.code === 'E_MODEL_NOT_FOUND') return undefined;
		throw error;
	}
}
