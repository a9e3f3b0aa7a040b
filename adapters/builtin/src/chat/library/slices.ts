import { setImmediate } from 'node:timers/promises';

const sliceMs = 6;

/** Long work in the server's thread, in slices of some milliseconds: others have their turn in between. */
export class Slices {
	readonly #signal: AbortSignal | undefined;
	#since = performance.now();

	constructor(signal?: AbortSignal) {
		this.#signal = signal;
	}

	/** Whether it is time to `pause`. */
	get isOver(): boolean {
		return performance.now() - this.#since > sliceMs;
	}

	/** Lets others have their turn. Throws the signal's reason when it is aborted. */
	async pause(): Promise<void> {
		await setImmediate();
		this.#signal?.throwIfAborted();
		this.#since = performance.now();
	}
}
