import { randomUUID } from 'node:crypto';
import type { JobStore } from '../contract/jobs/job-store.ts';
import type { JobTools } from './jobs.ts';

/** In milliseconds: the holder renews, other processes request. After a crash, another holder follows within 15 s. */
export const dutyTimes = { leaseMs: 12_000, renewMs: 4_000, requestMs: 2_000 } as const;

/** Without a store, this process always has the duty. */
type DutyTools = Pick<JobTools, 'clock' | 'log'> & { readonly store: Pick<JobStore, 'lead'> | undefined };

/** Work of one process at a time: `run` starts with the lease and aborts without it. When it ends, it restarts. */
export class Duty {
	readonly #name: string;
	readonly #run: (signal: AbortSignal) => Promise<void>;
	readonly #tools: DutyTools;
	readonly #holder = randomUUID();
	#isStopped = false;
	#cancelTimer: () => void = () => {};
	/** Cancels the timer of the lease. A timer, because the wall clock may be set. */
	#cancelLapse: () => void = () => {};
	#renewing: Promise<void> = Promise.resolve();
	#current: { readonly controller: AbortController; readonly finished: Promise<void> } | undefined;

	constructor(name: string, run: (signal: AbortSignal) => Promise<void>, tools: DutyTools) {
		this.#name = name;
		this.#run = run;
		this.#tools = tools;
	}

	/** Requests the lease, now and repeatedly. */
	start(): void {
		if (this.#isStopped) return;
		this.#renewing = this.#renew().then(() => {
			if (this.#isStopped) return;
			const ms = this.#current ? dutyTimes.renewMs : dutyTimes.requestMs;
			this.#cancelTimer = this.#tools.clock.after(ms, () => this.start());
		});
	}

	async stop(): Promise<void> {
		this.#isStopped = true;
		this.#cancelTimer();
		await this.#renewing;
		const current = this.#current;
		this.#abort();
		await current?.finished;
		if (current) await this.#lead(0).catch((err: unknown) => this.#warn(err, 'released'));
	}

	async #renew(): Promise<void> {
		const lapse = Promise.withResolvers<void>();
		const cancelLapse = this.#tools.clock.after(dutyTimes.leaseMs, lapse.resolve);
		try {
			const isHolder = await Promise.race([this.#lead(dutyTimes.leaseMs), lapse.promise.then(() => false)]);
			if (!isHolder || this.#isStopped) {
				cancelLapse();
				if (!isHolder) this.#abort();
				return;
			}
			this.#cancelLapse();
			this.#cancelLapse = cancelLapse;
			void lapse.promise.then(() => this.#abort());
			this.#startWork();
		} catch (err) {
			cancelLapse();
			this.#warn(err, 'renewed');
		}
	}

	#startWork(): void {
		if (this.#current) return;
		const controller = new AbortController();
		const finished = this.#run(controller.signal)
			.catch((err: unknown) => this.#warn(err, 'done; it starts again'))
			.then(() => {
				if (this.#current === current) this.#current = undefined;
			});
		const current = { controller, finished };
		this.#current = current;
	}

	/** `#current` stays set until the run has settled, so that there are never two runs. */
	#abort(): void {
		this.#cancelLapse();
		this.#current?.controller.abort();
	}

	async #lead(leaseMs: number): Promise<boolean> {
		return (await this.#tools.store?.lead(this.#name, this.#holder, leaseMs)) ?? true;
	}

	#warn(err: unknown, what: string): void {
		this.#tools.log.warn({ err, duty: this.#name }, `a duty could not be ${what}`);
	}
}
