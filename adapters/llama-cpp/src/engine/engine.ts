import { orAbort, plinthError } from '@plinth/core';
import type { ChatEvent } from '@plinth/plugin-chat/model';
import { Semaphore } from '@plinth/toolkit';
import type { AnswerTask, LoadOptions } from './messages.ts';
import { EngineProcess } from './process.ts';

/** The engine of one model: its process starts with the first answer, and again after it has ended. */
export class LocalEngine {
	readonly #options: LoadOptions;
	readonly #slots: Semaphore;
	#process: EngineProcess | undefined;

	constructor(options: LoadOptions) {
		this.#options = options;
		this.#slots = new Semaphore(options.slots);
	}

	/** Makes an answer as soon as a slot is free. The stream fails with the signal's reason as soon as it aborts. */
	answer(task: AnswerTask, caller: AbortSignal): ReadableStream<ChatEvent> {
		const stop = new AbortController();
		const signal = AbortSignal.any([caller, stop.signal]);
		return new ReadableStream({
			start: (controller) => {
				signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
				const onEvent = (event: ChatEvent) => signal.aborted || controller.enqueue(event);
				const work = this.#slots.run(() => this.#make(task, signal, onEvent), signal);
				work.then(() => controller.close()).catch((error) => controller.error(error));
			},
			cancel: () => stop.abort(),
		});
	}

	/** Ends the process. Resolves when its memory is free. */
	async unload(): Promise<void> {
		await this.#process?.end();
	}

	async #make(task: AnswerTask, signal: AbortSignal, onEvent: (event: ChatEvent) => unknown): Promise<void> {
		if (!this.#process?.isUsable) this.#process = new EngineProcess(this.#options);
		const process = this.#process;
		// Loading continues after an abort: the next request needs the model.
		await orAbort(signal, process.loaded).catch((cause) => {
			signal.throwIfAborted();
			throw plinthError('E_MODEL_UNAVAILABLE', { message: 'The model could not be loaded.', cause });
		});
		await process.answer(task, signal, onEvent);
	}
}
