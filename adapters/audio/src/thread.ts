import { Worker } from 'node:worker_threads';
import { type Clock, modelError, plinthError } from '@plinth/core';
import type { Settings, WorkerRequest, WorkerResponse } from './messages.ts';

/** How a thread is run. */
export interface ThreadOptions {
	readonly clock: Clock;
	/** The thread's file. */
	readonly file: URL;
	/** An answer that takes longer, in milliseconds, means that the thread will not answer any more. */
	readonly responseTimeoutMs: number;
}

type RequestWithResponse = Extract<WorkerRequest, { kind: 'push' | 'end' }>;

interface PendingRequest {
	readonly response: PromiseWithResolvers<Uint8Array>;
	/** Stops the clock. */
	readonly cancelTimeout: () => void;
}

/** A worker thread that encodes, several streams in turns. It keeps the process alive only while an answer is awaited. */
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
		// No options of the process: the thread imports nothing that needs its conditions, and `--eval` or `--inspect` would harm.
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

	/** Encodings under way. */
	get load(): number {
		return this.#encodings.size;
	}

	/** Whether it takes more encodings. */
	get isUsable(): boolean {
		return this.#isUsable;
	}

	/** Resolves when it is gone. */
	get ended(): Promise<void> {
		return this.#ended.promise;
	}

	/** Begins an encoding and gives its number. That it cannot be done is said by the first push. */
	open(settings: Settings): number {
		const id = ++this.#lastId;
		this.#encodings.add(id);
		this.#post({ kind: 'open', id, settings });
		return id;
	}

	/** Gives s16le samples, whose memory is the thread's from then on. Resolves to the bytes that are ready; rejects with `E_MODEL_FAILED`. */
	push(id: number, samples: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
		return this.#request({ kind: 'push', id, samples }, [samples.buffer]);
	}

	/** Resolves to the rest of the bytes; rejects with `E_MODEL_FAILED`. */
	end(id: number): Promise<Uint8Array> {
		return this.#request({ kind: 'end', id });
	}

	/** Ends an encoding, wherever it is. */
	close(id: number): void {
		if (this.#encodings.delete(id)) this.#post({ kind: 'close', id });
		this.#settle(id);
	}

	/** Ends the thread; what is awaited rejects with `E_STOPPING`. */
	async stop(): Promise<void> {
		this.#fail(plinthError('E_STOPPING'));
		await this.#ended.promise;
	}

	#request(request: RequestWithResponse, transfer: ArrayBuffer[] = []): Promise<Uint8Array> {
		const { clock, responseTimeoutMs } = this.#options;
		const response = Promise.withResolvers<Uint8Array>();
		if (!this.#isUsable) return Promise.reject(crashed(undefined));
		const cancelTimeout = clock.after(responseTimeoutMs, () =>
			this.#fail(crashed(new Error(`An answer took longer than ${responseTimeoutMs} ms.`))),
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

	/** Takes a question back, answered or not. */
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
	return modelError('The audio encoder stopped in the middle of the speech. Try again.', cause);
}
