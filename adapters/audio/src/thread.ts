import { Worker } from 'node:worker_threads';
import { type Clock, modelError, plinthError } from '@plinth/core';
import type { Answer, Order, Settings } from './messages.ts';

/** How a thread is run. */
export interface ThreadOptions {
	readonly clock: Clock;
	/** The thread's file. */
	readonly file: URL;
	/** An answer that takes longer, in milliseconds, means that the thread will not answer any more. */
	readonly deadlineMs: number;
}

type AnsweredOrder = Extract<Order, { kind: 'push' | 'end' }>;

interface Question {
	readonly answered: PromiseWithResolvers<Uint8Array>;
	/** Stops the clock. */
	readonly settled: () => void;
}

/** A worker thread that encodes, several streams in turns. It keeps the process alive only while an answer is awaited. */
export class EncoderThread {
	readonly #options: ThreadOptions;
	readonly #worker: Worker;
	readonly #encodings = new Set<number>();
	readonly #questions = new Map<number, Question>();
	readonly #ended = Promise.withResolvers<void>();
	#lastId = 0;
	#isUsable = true;

	constructor(options: ThreadOptions) {
		this.#options = options;
		// No options of the process: the thread imports nothing that needs its conditions, and `--eval` or `--inspect` would harm.
		this.#worker = new Worker(options.file, { name: 'plinth-audio', execArgv: [] });
		this.#worker.unref();
		this.#worker.on('message', (answer: Answer) => this.#hear(answer));
		this.#worker.on('error', (cause) => this.#lose(crashed(cause)));
		this.#worker.on('messageerror', (cause) => this.#lose(crashed(cause)));
		this.#worker.on('exit', (code) => {
			this.#ended.resolve();
			this.#lose(crashed(new Error(`The thread ended with code ${code}.`)));
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
		return this.#ask({ kind: 'push', id, samples }, [samples.buffer]);
	}

	/** Resolves to the rest of the bytes; rejects with `E_MODEL_FAILED`. */
	end(id: number): Promise<Uint8Array> {
		return this.#ask({ kind: 'end', id });
	}

	/** Ends an encoding, wherever it is. */
	close(id: number): void {
		if (this.#encodings.delete(id)) this.#post({ kind: 'close', id });
		this.#settle(id);
	}

	/** Ends the thread; what is awaited rejects with `E_STOPPING`. */
	async stop(): Promise<void> {
		this.#lose(plinthError('E_STOPPING'));
		await this.#ended.promise;
	}

	#ask(order: AnsweredOrder, given: ArrayBuffer[] = []): Promise<Uint8Array> {
		const { clock, deadlineMs } = this.#options;
		const answered = Promise.withResolvers<Uint8Array>();
		if (!this.#isUsable) return Promise.reject(crashed(undefined));
		const settled = clock.after(deadlineMs, () =>
			this.#lose(crashed(new Error(`An answer took longer than ${deadlineMs} ms.`))),
		);
		this.#questions.set(order.id, { answered, settled });
		this.#worker.ref();
		this.#post(order, given);
		return answered.promise;
	}

	#hear(answer: Answer): void {
		const question = this.#settle(answer.id);
		if ('bytes' in answer) question?.answered.resolve(answer.bytes);
		else question?.answered.reject(modelError('The audio could not be encoded.', answer.failure));
	}

	/** Takes a question back, answered or not. */
	#settle(id: number): Question | undefined {
		const question = this.#questions.get(id);
		this.#questions.delete(id);
		question?.settled();
		if (this.#questions.size === 0) this.#worker.unref();
		return question;
	}

	#lose(reason: Error): void {
		if (!this.#isUsable) return;
		this.#isUsable = false;
		for (const id of [...this.#questions.keys()]) this.#settle(id)?.answered.reject(reason);
		void this.#worker.terminate();
	}

	#post(order: Order, given: ArrayBuffer[] = []): void {
		if (this.#isUsable) this.#worker.postMessage(order, given);
	}
}

function crashed(cause: unknown): Error {
	return modelError('The audio encoder stopped in the middle of the speech. Try again.', cause);
}
