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
import type { VideoModel, VideoRequest, VideoRun } from './model.ts';
import type { VideoOutput } from './record.ts';
import { checkResult, storeResult } from './result.ts';

/** What one attempt at a job works with. */
export interface RenderingOrder {
	readonly models: Models<VideoModel>;
	readonly blobs: BlobStore;
	readonly job: Job;
	readonly run: JobRun;
	readonly request: VideoRequest;
	/** The seed for the model that the job names. */
	seedFor(id: string): number;
}

type Turn = Pick<ModelCall<VideoModel>, 'id' | 'model' | 'signal'>;

/**
 * One attempt at a video. Another model can take over until all bytes are stored, but not once a model has written a checkpoint: that stands for work that was begun elsewhere and
 * is paid for, and only the model that wrote it can go on from it, in this attempt and in those that follow.
 */
export class Rendering {
	readonly #order: RenderingOrder;
	readonly #seed: number;
	/** What the job is tied to. */
	#begun: Checkpoint | undefined;
	/** The turn, in this attempt, of the model that it is tied to. */
	#turn: Turn | undefined;
	#failure: { readonly error: unknown } | undefined;
	#turns = 0;

	constructor(order: RenderingOrder) {
		const { models, job, run, seedFor } = order;
		this.#order = order;
		this.#seed = seedFor(known(models, job.model)?.id ?? job.model);
		if (run.resume !== undefined) this.#begun = begunBy(run.resume, order);
	}

	/** Has the video made and stored. Rejects with `E_MODEL_NOT_FOUND` where the model has left the config. */
	async make(): Promise<VideoOutput> {
		const { models, job, run } = this.#order;
		const caller = { principal: { tenant: job.tenant }, signal: run.signal, log: run.log };
		const id = this.#begun?.model ?? job.model;
		try {
			return await models.ask(id, caller, (turn) => this.#take(turn));
		} catch (error) {
			const failure = this.#failure ? this.#failure.error : error;
			if (!this.#begun || run.signal.aborted) throw failure;
			if (this.#turn) throw this.#ownFailure(this.#turn, failure);
			// Its line is full, or it is left alone because it keeps failing: what it has begun is fetched all the same.
			return this.#render({ ...models.get(id), signal: run.signal });
		}
	}

	async #take(turn: Turn): Promise<VideoOutput> {
		if (this.#begun && this.#begun.model !== turn.id) throw tied();
		try {
			return await this.#render(turn);
		} catch (error) {
			if (this.#begun?.model !== turn.id) throw error;
			this.#failure = { error };
			throw tied();
		}
	}

	async #render(turn: Turn): Promise<VideoOutput> {
		const { blobs, run, request } = this.#order;
		const { id, model, signal } = turn;
		this.#turns += 1;
		if (this.#begun) this.#turn = turn;
		// A turn that is over may still be writing when the next one begins.
		const prefix = this.#turns === 1 ? '' : `${this.#turns}-`;
		const made = await model.generate(request, this.#runOf(turn));
		signal.throwIfAborted();
		checkResult(id, made);
		const blobKey = (name: string) => run.blobKey(`${prefix}${name}`);
		return storeResult(made, { blobs, keyOf: blobKey, signal, log: run.log });
	}

	#runOf(turn: Turn): VideoRun {
		const { run } = this.#order;
		const { signal } = turn;
		return {
			signal,
			progress: (fraction) => {
				if (!signal.aborted) run.progress(fraction);
			},
			checkpoint: (token) => this.#checkpoint(turn, token),
			...(this.#begun ? { resume: this.#begun.token } : {}),
			seed: this.#seed,
			key: keyOf(this.#order.job.id, turn.id),
			log: run.log,
		};
	}

	async #checkpoint(turn: Turn, token: string): Promise<void> {
		const { run } = this.#order;
		if (typeof token !== 'string') throw new TypeError('A checkpoint is a string.');
		if (turn.signal.aborted && !run.signal.aborted) {
			// Its time is over, and another model may be at work: nobody will find the token.
			await turn.model.cancel?.(token);
			throw turn.signal.reason;
		}
		// Before it is written: whether a write that fails has taken place is not known.
		this.#begun = { model: turn.id, token };
		this.#turn = turn;
		await run.checkpoint(writeCheckpoint(this.#begun));
	}

	/** Why the model that the job is tied to has failed. Nobody will ask for what it goes on with when its time is over. */
	#ownFailure({ model, signal }: Turn, failure: unknown): unknown {
		const { log } = this.#order.run;
		if (!signal.aborted) return failure;
		const { token = '' } = this.#begun ?? {};
		(async () => model.cancel?.(token))().catch((err: unknown) =>
			log.warn({ err }, 'the upstream work of a job could not be stopped'),
		);
		return signal.reason;
	}
}

function keyOf(job: string, model: string): string {
	return createHash('sha256').update(`${job} ${model}`).digest('hex').slice(0, 32);
}

/** Ends the search for a model that does the work. The failure itself is thrown when nobody is asked any more. */
function tied(): PlinthError {
	return new PlinthError('E_VIDEO_TIED', {
		status: 500,
		code: null,
		type: 'server_error',
		message: 'The video was begun by another model.',
	});
}

/** What an earlier attempt has begun; undefined where the model that could go on with it has left the config while that of the job is still there. */
function begunBy(resume: string, { models, job, run }: RenderingOrder): Checkpoint | undefined {
	const { model, token } = readCheckpoint(resume, job.model);
	const id = known(models, model)?.id;
	if (id !== undefined || model === job.model) return { model: id ?? model, token };
	run.log.warn({ model }, 'the model that has begun a video is no longer here; it is begun anew');
	return undefined;
}

function known(models: Models<VideoModel>, id: string): BoundModel<VideoModel> | undefined {
	try {
		return models.get(id);
	} catch (error) {
		if (isPlinthError(error) && error.code === 'E_MODEL_NOT_FOUND') return undefined;
		throw error;
	}
}
