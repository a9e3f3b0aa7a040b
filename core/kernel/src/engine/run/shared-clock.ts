import type { JobStore } from '../../contract/jobs/job-store.ts';
import type { Clock } from '../../contract/ports/clock.ts';
import type { Logger } from '../../contract/ports/logger.ts';

/** The interval at which the store's time is read, and the smallest difference that is corrected. */
const intervalMs = 10_000;
const toleranceMs = 1_000;

/** The machine's clock, corrected by that of a job store, so that all hosts agree. Its timers keep no process alive. */
export class SharedClock implements Clock {
	#offsetMs = 0;
	#isStopped = false;
	#cancel = () => {};

	readonly now = (): number => Date.now() + this.#offsetMs;

	readonly after = (ms: number, task: () => void): (() => void) => {
		const timer = setTimeout(task, ms).unref();
		return () => clearTimeout(timer);
	};

	/** Reads the time of a store at once, and repeatedly until `stop`. */
	async follow(now: NonNullable<JobStore['now']>, log: Logger): Promise<void> {
		// Other checks report a store that does not respond.
		await this.#set(now, log).catch((err: unknown) => log.debug({ err }, 'the time of the store was not read'));
		if (!this.#isStopped) this.#cancel = this.after(intervalMs, () => void this.follow(now, log));
	}

	stop(): void {
		this.#isStopped = true;
		this.#cancel();
	}

	async #set(now: NonNullable<JobStore['now']>, log: Logger): Promise<void> {
		const startedAt = performance.now();
		const time = await now();
		const tookMs = performance.now() - startedAt;
		const offsetMs = Math.round(time + tookMs / 2 - Date.now());
		if (Math.abs(offsetMs - this.#offsetMs) < toleranceMs + tookMs) return;
		this.#offsetMs = Math.abs(offsetMs) < toleranceMs ? 0 : offsetMs;
		log.warn({ off_ms: -offsetMs }, "The clock of this machine differs from the job store's, which is used instead.");
	}
}
