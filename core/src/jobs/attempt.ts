import { isPlinthError, plinthError, toWireError } from '../coded-error.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/event-bus.ts';
import type { Claim, HeartbeatUpdate, Job, JobError, JobStore } from '../ports/job-store.ts';
import type { Logger } from '../ports/logger.ts';
import { attemptPrefix, deletePrefix } from './blobs.ts';
import type { JobDefinition, JobOutcome, JobRun } from './contract.ts';
import type { JobSettings } from './settings.ts';

/** Why an attempt is ended from outside. `lost`: another attempt owns the job, or it is gone: write nothing. */
export type AbortCause = 'cancel' | 'lost' | 'stopping' | 'timeout';

/** What an attempt works with. */
export interface AttemptTools {
	readonly store: JobStore;
	readonly blobs: BlobStore;
	readonly bus: EventBus;
	readonly clock: Clock;
	readonly log: Logger;
	readonly settings: JobSettings;
}

/** How long aborted work may take to settle before it is left alone, in milliseconds. */
const patienceMs = 2_000;

/** One claimed run of a job: keeps the lease alive, reports progress, and records exactly one end. */
export class Attempt {
	readonly #job: Job;
	readonly #fence: number;
	readonly #definition: JobDefinition;
	readonly #tools: AttemptTools;
	readonly #controller = new AbortController();
	#cause: AbortCause | undefined;
	#progress = 0;
	#written = 0;
	#leaseEnd: number;
	#timers: (() => void)[] = [];
	#beating: Promise<void> = Promise.resolve();
	readonly #abandoned = Promise.withResolvers<never>();

	constructor(claim: Claim, definition: JobDefinition, tools: AttemptTools) {
		this.#job = claim.job;
		this.#fence = claim.fence;
		this.#definition = definition;
		this.#tools = tools;
		this.#leaseEnd = tools.clock.now() + tools.settings.leaseMs;
		// Nobody listens any more when the work has settled first.
		this.#abandoned.promise.catch(() => {});
	}

	/** Ends the attempt from outside; the first cause wins. */
	abort(cause: AbortCause): void {
		if (this.#cause) return;
		this.#cause = cause;
		const reason = new Error(`the attempt was ended: ${cause}`);
		this.#controller.abort(reason);
		// Work that ignores its signal must hold up neither the slot nor the stop of the server.
		this.#tools.clock.after(patienceMs, () => this.#abandoned.reject(reason));
	}

	/** Runs to the end and never rejects because of the work. */
	async run(): Promise<void> {
		const { clock, log, settings } = this.#tools;
		const began = clock.now();
		this.#announce('job.started');
		this.#schedule(settings.heartbeatMs, () => this.#beat());
		this.#schedule(settings.progressMs, () => this.#flushProgress());
		this.#timers.push(clock.after(settings.maxRunMs, () => this.abort('timeout')));
		let end: string;
		try {
			const work = this.#definition.run(this.#job, this.#surroundings());
			const outcome = await Promise.race([work, this.#abandoned.promise]);
			end = await this.#succeed(outcome);
		} catch (error) {
			end = await this.#giveUp(error);
		} finally {
			for (const cancel of this.#timers) cancel();
		}
		log.info(
			{ end, dur_ms: clock.now() - began, kind: this.#job.kind, model: this.#job.model },
			'attempt ended',
		);
	}

	#surroundings(): JobRun {
		return {
			signal: this.#controller.signal,
			progress: (fraction) => {
				if (fraction > this.#progress) this.#progress = Math.min(fraction, 1);
			},
			checkpoint: (token) => this.#heartbeat({ checkpoint: token }),
			resume: this.#job.checkpoint ?? undefined,
			blobKey: (name) => `${attemptPrefix(this.#job.id, this.#fence)}${name}`,
			log: this.#tools.log,
		};
	}

	/** Repeats a task until the attempt ends, never two at once. */
	#schedule(everyMs: number, task: () => Promise<void>): void {
		const index = this.#timers.push(() => {}) - 1;
		const arm = () => {
			this.#timers[index] = this.#tools.clock.after(everyMs, () => {
				// Chained, so that a slow store never has two heartbeats of one attempt in flight.
				this.#beating = this.#beating.then(task);
				arm();
			});
		};
		arm();
	}

	#beat(): Promise<void> {
		return this.#heartbeat({ progress: this.#progress });
	}

	async #flushProgress(): Promise<void> {
		if (this.#progress <= this.#written) return;
		await this.#heartbeat({ progress: this.#progress });
		this.#announce('job.progress', this.#progress);
	}

	async #heartbeat(update: HeartbeatUpdate): Promise<void> {
		const { store, clock, log, settings } = this.#tools;
		try {
			const answer = await store.heartbeat(this.#job.id, this.#fence, update);
			if (answer !== 'ok') return this.abort(answer);
			this.#leaseEnd = clock.now() + settings.leaseMs;
			this.#written = Math.max(this.#written, update.progress ?? 0);
		} catch (err) {
			log.warn({ err }, 'a heartbeat failed');
			// Somebody else may have claimed by now; going on would do the work twice.
			if (clock.now() >= this.#leaseEnd) this.abort('lost');
			if (update.checkpoint !== undefined) throw err;
		}
	}

	async #succeed({ result, retentionMs }: JobOutcome): Promise<string> {
		const { store, clock } = this.#tools;
		if (this.#cause === 'lost') throw plinthError('E_JOB_CANCELLED');
		const expiresAt = retentionMs === undefined ? null : clock.now() + retentionMs;
		const done = await this.#persist(() =>
			store.complete(this.#job.id, this.#fence, { result, expiresAt }),
		);
		if (done) this.#announce('job.completed');
		else await this.#discard();
		return done ? 'completed' : 'lost';
	}

	async #giveUp(error: unknown): Promise<string> {
		const { store, log } = this.#tools;
		const { id } = this.#job;
		await this.#discard();
		if (this.#cause === 'lost') return 'lost';
		if (this.#cause === 'stopping') {
			await this.#persist(() => store.release(id, this.#fence));
			return 'interrupted';
		}
		const wire = this.#explain(error);
		if (this.#cause === undefined && !isPlinthError(error))
			log.error({ err: error }, 'the work of a job threw');
		else log.info({ code: wire.code, err: this.#cause ? undefined : error }, 'a job failed');
		if (this.#cause) await this.#cancelUpstream();
		if (await this.#persist(() => store.fail(id, this.#fence, wire))) this.#announce('job.failed');
		return 'failed';
	}

	#explain(error: unknown): JobError {
		if (this.#cause === 'cancel') return jobError(plinthError('E_JOB_CANCELLED'));
		if (this.#cause === 'timeout') return jobError(plinthError('E_JOB_TIMEOUT'));
		return jobError(isPlinthError(error) ? error : plinthError('E_MODEL_FAILED'));
	}

	async #cancelUpstream(): Promise<void> {
		const job = await this.#tools.store.get(this.#job.tenant, this.#job.id);
		if (job?.checkpoint) await this.#definition.cancel?.(job);
	}

	/** A store that is away for a moment must not cost a finished render: tries until the lease has lapsed. */
	async #persist(write: () => Promise<boolean>): Promise<boolean> {
		const { clock, log } = this.#tools;
		for (let wait = 100; ; wait = Math.min(wait * 2, 2_000)) {
			try {
				return await write();
			} catch (err) {
				if (clock.now() + wait >= this.#leaseEnd) throw err;
				log.warn({ err }, 'the end of an attempt could not be recorded yet');
				await new Promise<void>((resolve) => clock.after(wait, resolve));
			}
		}
	}

	async #discard(): Promise<void> {
		const prefix = attemptPrefix(this.#job.id, this.#fence);
		await deletePrefix(this.#tools.blobs, prefix).catch((err: unknown) =>
			this.#tools.log.warn({ err }, 'the bytes of a failed attempt stay until the sweep'),
		);
	}

	#announce(type: string, progress?: number): void {
		const { tenant, id } = this.#job;
		this.#tools.bus.publish({
			type,
			tenant,
			subject: id,
			data: progress === undefined ? null : { progress },
		});
	}
}

function jobError(error: unknown): JobError {
	const { code, message, param } = toWireError(error).body.error;
	return { code: code ?? 'internal_error', message, ...(param ? { param } : {}) };
}
