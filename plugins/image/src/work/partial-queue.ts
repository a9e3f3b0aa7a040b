import type { Logger } from '@plinth/core';
import type { Picture } from '../model.ts';
import type { FinishedPicture } from './finish.ts';
import { pictureFault } from './result.ts';

/** How the partial images of one picture are encoded and sent. */
export interface PartialQueueOptions {
	/** Maximum number of partial images; 0 disables them. */
	readonly limit: number;
	/** Checked before encoding; when false, the partial image is left out. */
	acceptsMore(): boolean;
	encode(picture: Picture, signal: AbortSignal): Promise<FinishedPicture>;
	/** Called with each partial image, in order, counted from 0. */
	show(state: FinishedPicture, index: number): void;
	readonly log: Logger;
}

/**
 * Encodes the partial images of one picture one after the other while the model works. A partial image is
 * left out when it is broken, when the finished picture is ready first, or when the reader is behind.
 */
export class PartialQueue {
	readonly #options: PartialQueueOptions;
	readonly #stop = new AbortController();
	#work: Promise<void> = Promise.resolve();
	#acceptedCount = 0;
	#shownCount = 0;
	#isInputClosed = false;

	constructor(options: PartialQueueOptions) {
		this.#options = options;
	}

	/** Adds a partial image of the model and copies it, because the model may reuse its memory. */
	add(picture: Picture): void {
		const { limit, log } = this.#options;
		if (this.#isInputClosed || this.#acceptedCount >= limit) return;
		const fault = pictureFault(picture);
		if (fault) {
			log.warn({ fault }, 'a partial image of a model is left out');
			return;
		}
		this.#acceptedCount += 1;
		const copy = copyOf(picture);
		this.#work = this.#work.then(() => this.#encode(copy));
	}

	/** Called when the model has finished: no further partial image is encoded. */
	closeInput(): void {
		this.#isInputClosed = true;
	}

	/** Stops. When partial images were requested and none was sent, sends the finished picture as one. */
	close(finished: FinishedPicture): void {
		if (this.#stop.signal.aborted) return;
		this.stop();
		if (this.#options.limit > 0 && this.#shownCount === 0) this.#options.show(finished, 0);
	}

	/** Stops without sending anything. */
	stop(): void {
		this.#isInputClosed = true;
		this.#stop.abort();
	}

	async #encode(picture: Picture): Promise<void> {
		const { acceptsMore, encode, show, log } = this.#options;
		const { signal } = this.#stop;
		if (this.#isInputClosed || signal.aborted || !acceptsMore()) return;
		try {
			const state = await encode(picture, signal);
			if (!signal.aborted) show(state, this.#shownCount++);
		} catch (err) {
			if (!signal.aborted) log.warn({ err }, 'a partial image of a model is left out');
		}
	}
}

// Not `slice`: on a Buffer it shares memory.
function copyOf(picture: Picture): Picture {
	if (!('data' in picture)) {
		return { mediaType: picture.mediaType, body: new Uint8Array(picture.body) };
	}
	const { width, height, data } = picture;
	return { width, height, data: new Uint8Array(data) };
}
