import type { Logger } from '@plinth/core';
import type { Picture } from '../model.ts';
import type { FinishedPicture } from './finish.ts';
import { pictureFault } from './result.ts';

/** How the unfinished states of one picture are made ready and shown. */
export interface LaneOptions {
	/** Most states to show; 0: none at all. */
	readonly limit: number;
	/** Asked before a state is encoded; where there is no room it is left out. */
	hasRoom(): boolean;
	encode(picture: Picture, signal: AbortSignal): Promise<FinishedPicture>;
	/** Called with each state, in order, counted from 0. */
	show(state: FinishedPicture, index: number): void;
	readonly log: Logger;
}

/**
 * The unfinished states of one picture, encoded one after the other beside the model's work. They are an extra: one that is broken,
 * that is not ready when the finished picture is, or that would wait for a slow reader, is left out.
 */
export class PartialLane {
	readonly #options: LaneOptions;
	readonly #stop = new AbortController();
	#work: Promise<void> = Promise.resolve();
	#taken = 0;
	#shown = 0;
	#isLast = false;

	constructor(options: LaneOptions) {
		this.#options = options;
	}

	/** Takes a state from the model, which may go on changing its memory at once. */
	add(picture: Picture): void {
		const { limit, log } = this.#options;
		if (this.#isLast || this.#taken >= limit) return;
		const fault = pictureFault(picture);
		if (fault) {
			log.warn({ fault }, 'a partial picture of a model is left out');
			return;
		}
		this.#taken += 1;
		const copy = copyOf(picture);
		this.#work = this.#work.then(() => this.#encode(copy));
	}

	/** Says that the model is done: no further state is begun, so that the encoding of the finished picture has the way free. */
	finishing(): void {
		this.#isLast = true;
	}

	/** Ends the lane. Where nothing was shown yet, although something was asked for, the finished picture is shown once. */
	close(finished: FinishedPicture): void {
		if (this.#stop.signal.aborted) return;
		this.stop();
		if (this.#options.limit > 0 && this.#shown === 0) this.#options.show(finished, 0);
	}

	/** Ends the lane without a word. */
	stop(): void {
		this.#isLast = true;
		this.#stop.abort();
	}

	async #encode(picture: Picture): Promise<void> {
		const { hasRoom, encode, show, log } = this.#options;
		const { signal } = this.#stop;
		if (this.#isLast || signal.aborted || !hasRoom()) return;
		try {
			const state = await encode(picture, signal);
			if (!signal.aborted) show(state, this.#shown++);
		} catch (err) {
			if (!signal.aborted) log.warn({ err }, 'a partial picture of a model is left out');
		}
	}
}

// Not `slice`: that of a Buffer shares its memory.
function copyOf(picture: Picture): Picture {
	if (!('data' in picture)) {
		return { mediaType: picture.mediaType, body: new Uint8Array(picture.body) };
	}
	const { width, height, data } = picture;
	return { width, height, data: new Uint8Array(data) };
}
