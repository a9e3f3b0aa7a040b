import { orAbort, settlesWithin } from '../contract/abort.ts';
import { isPlinthError, plinthError, toWireError } from '../contract/errors/coded-error.ts';
import type { Claim, Heartbeat, HeartbeatUpdate, Job, JobError } from '../contract/jobs/job-store.ts';
import type { JobDefinition, JobOutcome, JobRetry } from '../contract/jobs/jobs.ts';
import { attemptPrefix, deleteEarlierAttempts, deletePrefix, jobPrefix } from './blobs.ts';
import { cancelUpstream, type JobTools } from './jobs.ts';
import { LeaseHeartbeat } from './lease-heartbeat.ts';

/** The wait before the next attempt when a store was unavailable. It doubles with each attempt. */
const retryMs = 5_000;

/** How long aborted work, or a call to stop it upstream, may take to settle. */
const timeoutMs = 2_000;

/** Why an attempt is aborted. `lost`: another attempt owns the job, or it was removed: write nothing. */
export type AbortCause = 'cancel' | 'lost' | 'stopping' | 'timeout';

/** How an attempt ended, for the log. `put off`: another attempt follows. `unrecorded`: the store did not respond. */
type AttemptEnd = 'completed' | 'failed' | 'put off' | 'interrupted' | 'lost' | 'unrecorded';

/** One claimed run of a job: renews the lease, reports progress, and records exactly one end. */
export class Attempt {
	readonly #job: Job;
	readonly #fence: number;
	readonly #definition: JobDefinition;
	readonly #tools: JobTools;
	readonly #controller = new AbortController();
	readonly #abandoned = new AbortController();
	readonly #lease: LeaseHeartbeat;
	#cause: AbortCause | undefined;

	constructor(claim: Claim, definition: JobDefinition, tools: JobTools) {
		this.#job = claim.job;
		this.#fence = claim.fence;
		this.#definition = definition;
		this.#tools = tools;
		this.#lease = new LeaseHeartbeat(tools, {
			send: (update) => this.#heartbeat(update),
			lapsed: () => this.abort('lost'),
			progressed: (progress) => this.#announce('job.progress', progress),
		});
	}

	/** Aborts the attempt. Only the first cause counts. */
	abort(cause: AbortCause): void {
		if (this.#cause) return;
		this.#cause = cause;
		const reason = new Error(`the attempt was ended: ${cause}`);
		this.#controller.abort(reason);
		// Work that ignores its signal must not delay the release of the slot or the stop of the server.
		this.#tools.clock.after(timeoutMs, () => this.#abandoned.abort(reason));
	}

	/** Runs to the end. Never rejects. */
	async run(): Promise<void> {
		const { clock, log, settings } = this.#tools;
		const startedAt = clock.now();
		this.#announce('job.started');
		const cancelTimeout = clock.after(settings.maxRunMs, () => this.abort('timeout'));
		this.#lease.start();
		const end = await this.#work();
		this.#lease.stop();
		cancelTimeout();
		const { kind, model } = this.#job;
		log.info({ end, dur_ms: clock.now() - startedAt, kind, model }, 'attempt ended');
	}

	async #work(): Promise<AttemptEnd> {
		let outcome: JobOutcome | JobRetry;
		try {
			const work = this.#definition.run(this.#job, {
				signal: this.#controller.signal,
				progress: (fraction) => this.#lease.report(fraction),
				checkpoint: (token) => this.#checkpoint(token),
				resume: this.#job.checkpoint ?? undefined,
				blobKey: (name) => `${attemptPrefix(this.#job.id, this.#fence)}${name}`,
				log: this.#tools.log,
			});
			outcome = await orAbort(this.#abandoned.signal, work);
			if (!isRetry(outcome)) checkOutcome(outcome);
		} catch (error) {
			return this.#endAfterError(error);
		}
		return isRetry(outcome) ? this.#scheduleRetry(outcome) : this.#complete(outcome);
	}

	async #checkpoint(token: string): Promise<void> {
		if (typeof token !== 'string') throw new TypeError('A checkpoint is a string.');
		if ((await this.#heartbeat({ checkpoint: token })) !== 'lost') return;
		// The record does not have the token, so that only this attempt can cancel the work that it identifies.
		const isRecorded = (await this.#latestRecord()).checkpoint === token;
		if (!isRecorded) await this.#cancelUpstream({ ...this.#job, checkpoint: token });
		throw this.#controller.signal.reason;
	}

	async #heartbeat(update: HeartbeatUpdate): Promise<Heartbeat> {
		const status = await this.#tools.store.heartbeat(this.#job.id, this.#fence, update);
		if (status === 'ok') this.#lease.confirm();
		else this.abort(status);
		return status;
	}

	async #complete({ result, retentionMs }: JobOutcome): Promise<AttemptEnd> {
		const { store } = this.#tools;
		const { id } = this.#job;
		const completion = { result, retentionMs: retentionMs ?? null };
		// Deleted before the record is written: later, nothing deletes them. Those attempts can no longer end the job.
		await deleteEarlierAttempts(this.#tools, id, this.#fence);
		const end = await this.#record('completed', () => store.complete(id, this.#fence, completion));
		if (end === 'completed') this.#announce('job.completed');
		// If the outcome is unknown, the bytes stay: the record may be completed. Otherwise the sweep deletes them.
		if (end === 'lost') await this.#discard();
		return end;
	}

	async #scheduleRetry({ retryInMs }: JobRetry): Promise<AttemptEnd> {
		const end = await this.#fail(jobError(plinthError('E_JOB_ATTEMPTS')), retryInMs);
		await this.#discard(end);
		return end;
	}

	/** Records a failure, or that another attempt follows after `retryInMs`. The last attempt always fails the job. */
	async #fail(error: JobError, retryInMs: number | undefined): Promise<AttemptEnd> {
		const { id, attempt, maxAttempts } = this.#job;
		const failed = retryInMs === undefined || attempt >= maxAttempts ? 'failed' : 'put off';
		const end = await this.#record(failed, () => this.#tools.store.fail(id, this.#fence, error, retryInMs));
		if (end === 'failed') this.#announce('job.failed');
		return end;
	}

	async #endAfterError(error: unknown): Promise<AttemptEnd> {
		let end: AttemptEnd = 'lost';
		if (this.#cause === 'stopping') {
			end = await this.#record('interrupted', () => this.#tools.store.release(this.#job.id, this.#fence));
		} else if (this.#cause !== 'lost') {
			end = await this.#fail(this.#errorOf(error), this.#retryInMs(error));
			// Not if another attempt may own the job, because that one resumes from the checkpoint.
			const hasJobEnded = end === 'failed' || (end === 'unrecorded' && this.#cause === 'cancel');
			if (this.#cause && hasJobEnded) await this.#cancelUpstream(await this.#latestRecord());
		}
		await this.#discard(end);
		return end;
	}

	/** The wait from the definition; otherwise 5, 10, 20, … seconds if a store was unavailable. */
	#retryInMs(error: unknown): number | undefined {
		const { attempt, maxAttempts } = this.#job;
		if (this.#cause || attempt >= maxAttempts) return undefined;
		const isStoreError = isPlinthError(error) && error.code === 'E_STORE_UNAVAILABLE';
		const wait = isStoreError ? retryMs * 2 ** (attempt - 1) : undefined;
		return this.#definition.retryInMs?.(error, this.#job) ?? wait;
	}

	#errorOf(error: unknown): JobError {
		const { log } = this.#tools;
		if (this.#cause === 'cancel') return jobError(plinthError('E_JOB_CANCELLED'));
		if (this.#cause === 'timeout') return jobError(plinthError('E_JOB_TIMEOUT'));
		if (isPlinthError(error)) {
			log.info({ err: error }, 'a job failed');
			return jobError(error);
		}
		log.error({ err: error }, 'the work of a job threw');
		return jobError(plinthError('E_MODEL_FAILED'));
	}

	/** The record with its newest checkpoint; the claimed one if the store does not respond. */
	async #latestRecord(): Promise<Job> {
		const { id, tenant } = this.#job;
		return (await this.#tools.store.get(tenant, id).catch(() => null)) ?? this.#job;
	}

	async #cancelUpstream(job: Job): Promise<void> {
		const { clock, log } = this.#tools;
		await settlesWithin(clock, timeoutMs, cancelUpstream(this.#definition, job, log));
	}

	/** Repeats `write` until it succeeds or the lease has lapsed (`unrecorded`). `lost`: the store refused the fence. */
	async #record(end: AttemptEnd, write: () => Promise<boolean>): Promise<AttemptEnd> {
		const { clock, log } = this.#tools;
		for (let wait = 100; ; wait = Math.min(wait * 2, 2_000)) {
			try {
				return (await write()) ? end : 'lost';
			} catch (err) {
				if (this.#lease.hasLapsed) {
					log.error({ err }, 'the end of an attempt could not be recorded');
					return 'unrecorded';
				}
				log.warn({ err }, 'the end of an attempt could not be recorded yet');
				await new Promise<void>((resolve) => clock.after(wait, resolve));
			}
		}
	}

	/** Deletes the bytes of the attempt. A failed job can be neither served nor remixed: its inputs are deleted too. */
	async #discard(end?: AttemptEnd): Promise<void> {
		const { id } = this.#job;
		await deletePrefix(this.#tools, end === 'failed' ? jobPrefix(id) : attemptPrefix(id, this.#fence));
	}

	#announce(type: string, progress?: number): void {
		const { tenant, id } = this.#job;
		this.#tools.bus.publish({ type, tenant, subject: id, data: progress === undefined ? null : { progress } });
	}
}

function isRetry(outcome: JobOutcome | JobRetry): outcome is JobRetry {
	return typeof Object(outcome).retryInMs === 'number';
}

/** A result that no store can write would be retried forever. */
function checkOutcome(outcome: Partial<JobOutcome> | undefined): void {
	if (JSON.stringify(outcome?.result) === undefined) {
		throw new TypeError('The work of a job must resolve to { result: a JSON object } or { retryInMs }.');
	}
}

function jobError(error: unknown): JobError {
	const { code, message, param } = toWireError(error).body.error;
	return { code: code ?? 'internal_error', message, ...(param ? { param } : {}) };
}
