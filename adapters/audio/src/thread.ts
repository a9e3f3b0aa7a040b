import { Worker } from 'node:worker_threads';
import { type Clock, modelError, plinthError } from '@plinth/core';
import type { Settings, WorkerRequest, WorkerResponse } from './messages.ts';

/** Options of a thread. */
export interface ThreadOptions {
	readonly clock: Clock;
	/** The module of the thread. */
	readonly file: URL;
	/** Timeout of a response, in milliseconds; the thread is then terminated. */
	readonly responseTimeoutMs: number;
}

type RequestWithResponse = Extract<WorkerRequest, { kind: 'push' | 'end' }>;

interface PendingRequest {
	readonly response: PromiseWithResolvers<Uint8Array>;
	/** Cancels the response timeout. */
	readonly cancelTimeout: () => void;
}

/** A worker thread that encodes several streams. It keeps the process alive only while a response is pending. */
export class EncoderThread {
	readonly #options: ThreadOptions;
	readonly #worker: Worker;
	readonly #encodings = new Set<number>();
	readonly #pending = new Map<number, PendingRequest>();
	readonly #ended = Promise.withResolvers<void>();
	#lastId = 0;
	#isUsable = true;

	constructor(options: ThreadOptions) {
		this.#options = options;
		// Without the `execArgv` of the process: the thread needs no conditions, and `--eval` or `--inspect` would conflict.
		this.#worker = new Worker(options.file, { name: 'plinth-audio', execArgv: [] });
		this.#worker.unref();
		this.#worker.on('message', (message: WorkerResponse) => this.#onMessage(message));
		this.#worker.on('error', (cause) => this.#fail(crashed(cause)));
		this.#worker.on('messageerror', (cause) => this.#fail(crashed(cause)));
		this.#worker.on('exit', (code) => {
			this.#ended.resolve();
			this.#fail(crashed(new Error(`The thread ended with code ${code}.`)));
		});
	}

	/** Number of running encodings. */
	get load(): number {
		return this.#encodings.size;
	}

	/** Whether it accepts encodings. */
	get isUsable(): boolean {
		return this.#isUsable;
	}

	/** Resolves when the thread has ended. */
	get ended(): Promise<void> {
		return this.#ended.promise;
	}

	/** Starts an encoding and returns its id. A failure is reported by the first push. */
	open(settings: Settings): number {
		const id = ++this.#lastId;
		this.#encodings.add(id);
		this.#post({ kind: 'open', id, settings });
		return id;
	}

	/**
	 * Encodes s16le samples, whose buffer is transferred. Resolves with the finished bytes; rejects with
	 * `E_MODEL_FAILED`.
	 */
	push(id: number, samples: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
		return this.#request({ kind: 'push', id, samples }, [samples.buffer]);
	}

	/** Resolves with the remaining bytes; rejects with `E_MODEL_FAILED`. */
	end(id: number): Promise<Uint8Array> {
		return this.#request({ kind: 'end', id });
	}

	/** Ends an encoding at any time. */
	close(id: number): void {
		if (this.#encodings.delete(id)) this.#post({ kind: 'close', id });
		this.#settle(id);
	}

	/** Ends the thread; pending requests reject with `E_STOPPING`. */
	async stop(): Promise<void> {
		this.#fail(plinthError('E_STOPPING'));
		await this.#ended.promise;
	}

	#request(request: RequestWithResponse, transfer: ArrayBuffer[] = []): Promise<Uint8Array> {
		const { clock, responseTimeoutMs } = this.#options;
		const response = Promise.withResolvers<Uint8Array>();
		if (!this.#isUsable) return Promise.reject(crashed(undefined));
		const cancelTimeout = clock.after(responseTimeoutMs, () =>
			this.#fail(crashed(new Error(`A response took longer than ${responseTimeoutMs} ms.`))),
		);
		this.#pending.set(request.id, { response, cancelTimeout });
		this.#worker.ref();
		this.#post(request, transfer);
		return response.promise;
	}

	#onMessage(message: WorkerResponse): void {
		const pending = this.#settle(message.id);
		if ('bytes' in message) pending?.response.resolve(message.bytes);
		else pending?.response.reject(modelError('The audio could not be encoded.', message.failure));
	}

	/** Removes a pending request. */
	#settle(id: number): PendingRequest | undefined {
		const pending = this.#pending.get(id);
		this.#pending.delete(id);
		pending?.cancelTimeout();
		if (this.#pending.size === 0) this.#worker.unref();
		return pending;
	}

	#fail(reason: Error): void {
		if (!this.#isUsable) return;
		this.#isUsable = false;
		for (const id of [...this.#pending.keys()]) this.#settle(id)?.response.reject(reason);
		void this.#worker.terminate();
	}

	#post(request: WorkerRequest, transfer: ArrayBuffer[] = []): void {
		if (this.#isUsable) this.#worker.postMessage(request, transfer);
	}
}

function crashed(cause: unknown): Error {
	return modelError('The audio encoder stopped unexpectedly. Try again.', cause);
}
