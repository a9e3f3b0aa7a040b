import type { JobStore } from '../../contract/jobs/job-store.ts';
import type { Clock } from '../../contract/ports/clock.ts';
import type { Logger } from '../../contract/ports/logger.ts';

/** How often the store is asked, and the difference below which the clock of the machine stays as it is. */
const everyMs = 10_000;
const toleranceMs = 1_000;

/**
 * The clock of the machine, set right by a job store that has a clock of its own: what one host writes, another one
 * reads. Its timers never keep the process alive.
 */
export class SharedClock implements Clock {
	#offsetMs = 0;

	readonly now = (): number => Date.now() + this.#offsetMs;

	readonly after = (ms: number, task: () => void): (() => void) => {
		const timer = setTimeout(task, ms).unref();
		return () => clearTimeout(timer);
	};

	/** Asks a store at once and from then on, until the returned function is called. */
	async follow(now: NonNullable<JobStore['now']>, log: Logger): Promise<() => void> {
		let isStopped = false;
		let cancel = () => {};
		const round = async () => {
			// A store that does not answer is noticed elsewhere.
			await this.#set(now, log).catch((err: unknown) => log.debug({ err }, 'the time of the store was not read'));
			if (!isStopped) cancel = this.after(everyMs, () => void round());
		};
		await round();
		return () => {
			isStopped = true;
			cancel();
		};
	}

	async #set(now: NonNullable<JobStore['now']>, log: Logger): Promise<void> {
		const began = performance.now();
		const time = await now();
		const tookMs = performance.now() - began;
		const offsetMs = Math.round(time + tookMs / 2 - Date.now());
		if (Math.abs(offsetMs - this.#offsetMs) < toleranceMs + tookMs) return;
		this.#offsetMs = Math.abs(offsetMs) < toleranceMs ? 0 : offsetMs;
		log.warn({ off_ms: -offsetMs }, 'The clock of this machine differs from that of the job store, which is used.');
	}
}
