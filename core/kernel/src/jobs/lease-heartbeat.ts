import type { HeartbeatUpdate } from '../contract/jobs/job-store.ts';
import type { JobTools } from './jobs.ts';

export interface HeartbeatEvents {
	/** Sends a heartbeat; rejects when the store does not respond. */
	send(update: HeartbeatUpdate): Promise<unknown>;
	/** The lease has lapsed without a confirmed heartbeat: another worker may have taken the job. */
	lapsed(): void;
	/** A new progress value has been stored. */
	progressed(fraction: number): void;
}

/** Renews the lease of one attempt, writes progress at most once per `progressMs`, and detects a lapse. */
export class LeaseHeartbeat {
	readonly #tools: Pick<JobTools, 'clock' | 'log' | 'settings'>;
	readonly #events: HeartbeatEvents;
	/** Whether a whole lease has passed since the last confirmed heartbeat. */
	hasLapsed = false;
	#progress = 0;
	#storedProgress = 0;
	#cancelTimer: () => void = () => {};
	/** A timer, because the wall clock may be set. */
	#cancelLapse: () => void = () => {};
	#isSending = false;
	#isStopped = false;

	constructor(tools: Pick<JobTools, 'clock' | 'log' | 'settings'>, events: HeartbeatEvents) {
		this.#tools = tools;
		this.#events = events;
	}

	start(): void {
		this.confirm();
		this.#schedule(0);
	}

	stop(): void {
		this.#isStopped = true;
		this.#cancelLapse();
		this.#cancelTimer();
	}

	/** Accepts a new completed fraction. Lower values and NaN are ignored. */
	report(fraction: number): void {
		if (fraction > this.#progress) this.#progress = Math.min(fraction, 1);
	}

	confirm(): void {
		this.#cancelLapse();
		if (this.#isStopped || this.hasLapsed) return;
		this.#cancelLapse = this.#tools.clock.after(this.#tools.settings.leaseMs, () => {
			this.hasLapsed = true;
			this.#events.lapsed();
		});
	}

	/** Never sends two at once: a slow store must not receive a queue of heartbeats. */
	#sendHeartbeat(): void {
		if (this.#isSending) return;
		this.#isSending = true;
		const progress = this.#progress;
		this.#events
			.send({ progress })
			.then(() => {
				if (progress > this.#storedProgress) this.#events.progressed(progress);
				this.#storedProgress = Math.max(this.#storedProgress, progress);
			})
			.catch((err: unknown) => this.#tools.log.warn({ err }, 'a heartbeat failed'))
			.finally(() => {
				this.#isSending = false;
			});
	}

	/** Sends every `heartbeatMs`, of which `passedMs` have passed, and every `progressMs` if there is new progress. */
	#schedule(passedMs: number): void {
		if (this.#isStopped) return;
		const { heartbeatMs, progressMs } = this.#tools.settings;
		const ms = Math.min(progressMs, heartbeatMs - passedMs);
		this.#cancelTimer = this.#tools.clock.after(ms, () => {
			const isDue = passedMs + ms >= heartbeatMs;
			if (isDue || this.#progress > this.#storedProgress) this.#sendHeartbeat();
			this.#schedule(isDue ? 0 : passedMs + ms);
		});
	}
}
