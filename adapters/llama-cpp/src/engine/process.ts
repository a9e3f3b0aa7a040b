import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { plinthError, unsupportedValue } from '@plinth/core';
import type { ChatEvent } from '@plinth/plugin-chat/model';
import { mediaError } from '@plinth/toolkit';
import type { AnswerProblem, AnswerTask, LoadOptions, Request, Response } from './messages.ts';

const file = new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './child.js', import.meta.url);
const keptStderrCharacters = 4_096;
/** The variables that the engine and GPU drivers read. Other variables may contain secrets. */
const passedVariables = /^(PATH|HOME|TE?MP(DIR)?|SystemRoot|(LD|DYLD|CUDA|NVIDIA|VK|GGML|HIP|HSA|ROCR)_.*)$/;

type Answer = PromiseWithResolvers<void> & { readonly onEvent: (event: ChatEvent) => unknown };

/** A process with one model. When it ends, also by a crash of native code, the answers that it was making reject. */
export class EngineProcess {
	/** Resolves with the kind of the loaded model. Rejects with the error of the engine or the way the process ended. */
	readonly loaded: Promise<string>;
	readonly #loading = Promise.withResolvers<string>();
	readonly #ended = Promise.withResolvers<void>();
	readonly #child: ChildProcess;
	readonly #answers = new Map<number, Answer>();
	#lastId = 0;
	#stderrTail = '';

	/** Starts the process, which loads the model. */
	constructor(options: LoadOptions) {
		const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedVariables.test(name)));
		this.#child = fork(fileURLToPath(file), { env, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
		this.loaded = this.#loading.promise;
		// Also handles a rejection before `loaded` is awaited.
		this.loaded.catch(() => this.#child.kill('SIGKILL'));
		this.#child.on('message', (response: Response) => this.#receive(response));
		this.#child.on('error', (error) => this.#end(error.message));
		// Not `exit`: at `close`, the whole stderr has been read, which states the reason.
		this.#child.on('close', (code, signal) => this.#end(`It ended with ${signal ?? `exit code ${code}`}.`));
		this.#child.stderr?.on('error', () => {});
		this.#child.stderr?.on('data', (bytes: Buffer) => {
			this.#stderrTail = (this.#stderrTail + bytes.toString('latin1')).slice(-keptStderrCharacters);
		});
		this.#send({ type: 'load', options });
	}

	/** Whether the process can make another answer. */
	get isUsable(): boolean {
		const { killed, exitCode, signalCode } = this.#child;
		return !killed && exitCode === null && signalCode === null;
	}

	/**
	 * Makes an answer. Settles when its slot is free again, also after an abort. Rejects with a coded error when the
	 * conversation is too long, the engine fails, or the process ends.
	 */
	async answer(task: AnswerTask, signal: AbortSignal, onEvent: Answer['onEvent']): Promise<void> {
		signal.throwIfAborted();
		const id = ++this.#lastId;
		const answer = { ...Promise.withResolvers<void>(), onEvent };
		const abort = () => this.#send({ type: 'abort', id });
		this.#answers.set(id, answer);
		this.#send({ type: 'answer', id, task });
		signal.addEventListener('abort', abort, { once: true });
		await answer.promise.finally(() => signal.removeEventListener('abort', abort));
	}

	/** Ends the process. Resolves when its memory is free. */
	async end(): Promise<void> {
		this.#child.kill('SIGKILL');
		await this.#ended.promise;
	}

	#send(request: Request): void {
		// A failure to send means that the process is ending, which `close` reports.
		this.#child.send(request, () => {});
	}

	#receive(response: Response): void {
		const answer = 'id' in response ? this.#answers.get(response.id) : undefined;
		if (response.type === 'loaded') this.#loading.resolve(response.kind);
		else if (response.type === 'notLoaded') this.#loading.reject(new Error(response.message));
		else if (response.type === 'event') answer?.onEvent(response.event);
		else if (response.problem) answer?.reject(errorOf(response.problem));
		else answer?.resolve();
		if (response.type === 'end') this.#answers.delete(response.id);
	}

	#end(description: string): void {
		const cause = new Error(`${description} ${this.#stderrTail}`.trim());
		const error = plinthError('E_MODEL_UNAVAILABLE', { message: 'The engine of this model has ended.', cause });
		this.#loading.reject(cause);
		for (const { reject } of this.#answers.values()) reject(error);
		this.#answers.clear();
		this.#ended.resolve();
	}
}

function errorOf({ param, message }: AnswerProblem): Error {
	if (param === 'messages') return mediaError('E_CONTEXT_TOO_LONG', { message, param });
	return param ? unsupportedValue(param, message) : plinthError('E_MODEL_FAILED', { cause: new Error(message) });
}
