import type { Clock, Logger } from '@plinth/core';

/** What runs again and again. */
export interface RoundsOptions {
	readonly clock: Clock;
	readonly log: Logger;
	/** The longest pause between two rounds, in milliseconds. */
	readonly everyMs: number;
	/** What the log says when a round fails. */
	readonly complaint: string;
	/** One round; resolves with how long to pause at most, in milliseconds, where that is less than `everyMs`. */
	readonly round: () => Promise<number | undefined>;
}

/** The shortest time between two complaints, in milliseconds: rounds may fail and succeed by turns. */
const quietMs = 60_000;

/** Runs rounds one after another: when it is told to, and at the latest after a pause. One that fails is logged, at most once a minute, and tried again after the pause. */
export class Rounds {
	readonly #options: RoundsOptions;
	#cancel: () => void = () => {};
	#running: Promise<void> = Promise.resolve();
	#isRunning = false;
	#isWanted = false;
	#isStopped = true;
	#complainedAt = Number.NEGATIVE_INFINITY;

	constructor(options: RoundsOptions) {
		this.#options = options;
	}

	/** Whether a round should come to its end soon. */
	get isStopped(): boolean {
		return this.#isStopped;
	}

	/** Begins with a round at once. */
	start(): void {
		this.#isStopped = false;
		this.wake();
	}

	/** A round now; one that is under way is followed by another. */
	wake(): void {
		if (this.#isStopped) return;
		this.#isWanted = true;
		if (this.#isRunning) return;
		this.#isRunning = true;
		this.#running = this.#run();
	}

	/** No more rounds; resolves when the one under way has ended. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		this.#cancel();
		await this.#running;
	}

	async #run(): Promise<void> {
		const { clock, everyMs } = this.#options;
		this.#cancel();
		let pause = everyMs;
		while (this.#isWanted && !this.#isStopped) {
			this.#isWanted = false;
			pause = Math.min((await this.#round()) ?? everyMs, everyMs);
		}
		// Before anything is awaited again, so that no call to wake is lost.
		this.#isRunning = false;
		if (!this.#isStopped) this.#cancel = clock.after(pause, () => this.wake());
	}

	async #round(): Promise<number | undefined> {
		try {
			return await this.#options.round();
		} catch (err) {
			this.#complain(err);
			return undefined;
		}
	}

	#complain(err: unknown): void {
		const { clock, log, complaint } = this.#options;
		const now = clock.now();
		// Either way: the clock may have been set back.
		if (this.#isStopped || Math.abs(now - this.#complainedAt) < quietMs) return;
		this.#complainedAt = now;
		log.warn({ err }, complaint);
	}
}
