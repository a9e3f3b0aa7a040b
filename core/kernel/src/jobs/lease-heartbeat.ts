import type { HeartbeatUpdate } from '../contract/jobs/job-store.ts';
import type { JobTools } from './jobs.ts';

/** What a heartbeat drives. */
export interface HeartbeatEvents {
	/** Sends a heartbeat; rejects when the store does not answer. */
	send(update: HeartbeatUpdate): Promise<unknown>;
	/** The lease has lapsed without a confirmed heartbeat: another worker may have taken the job. */
	lapsed(): void;
	/** A new progress value has been stored. */
	progressed(fraction: number): void;
}

/** Extends the lease of one attempt, writes progress at most once per `progressMs`, and notices a lapse. */
export class LeaseHeartbeat {
	readonly #tools: Pick<JobTools, 'clock' | 'log' | 'settings'>;
	readonly #events: HeartbeatEvents;
	/** Whether a whole lease has passed since the last confirmed heartbeat. */
	hasLapsed = false;
	#progress = 0;
	#written = 0;
	#cancelBeat: () => void = () => {};
	/** A timer, because the time of day may be set. */
	#cancelLapse: () => void = () => {};
	#isBeating = false;
	#isStopped = false;

	constructor(tools: Pick<JobTools, 'clock' | 'log' | 'settings'>, events: HeartbeatEvents) {
		this.#tools = tools;
		this.#events = events;
	}

	/** Begins to beat. */
	start(): void {
		this.confirm();
		this.#wait(0);
	}

	/** Beats no more. */
	stop(): void {
		this.#isStopped = true;
		this.#cancelLapse();
		this.#cancelBeat();
	}

	/** Takes a new fraction done; values that fall, and what is no number, are ignored. */
	report(fraction: number): void {
		if (fraction > this.#progress) this.#progress = Math.min(fraction, 1);
	}

	/** The store has confirmed the lease. */
	confirm(): void {
		this.#cancelLapse();
		if (this.#isStopped || this.hasLapsed) return;
		this.#cancelLapse = this.#tools.clock.after(this.#tools.settings.leaseMs, () => {
			this.hasLapsed = true;
			this.#events.lapsed();
		});
	}

	/** Never two at once: a slow store must not get a queue of heartbeats. */
	#beat(): void {
		if (this.#isBeating) return;
		this.#isBeating = true;
		const progress = this.#progress;
		this.#events
			.send({ progress })
			.then(() => {
				if (progress > this.#written) this.#events.progressed(progress);
				this.#written = Math.max(this.#written, progress);
			})
			.catch((err: unknown) => this.#tools.log.warn({ err }, 'a heartbeat failed'))
			.finally(() => {
				this.#isBeating = false;
			});
	}

	/** Beats every `heartbeatMs`, of which some have `passed`, and every `progressMs` when there is progress. */
	#wait(passed: number): void {
		if (this.#isStopped) return;
		const { heartbeatMs, progressMs } = this.#tools.settings;
		const ms = Math.min(progressMs, heartbeatMs - passed);
		this.#cancelBeat = this.#tools.clock.after(ms, () => {
			const isDue = passed + ms >= heartbeatMs;
			if (isDue || this.#progress > this.#written) this.#beat();
			this.#wait(isDue ? 0 : passed + ms);
		});
	}
}
