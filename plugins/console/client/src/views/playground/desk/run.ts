import { batch, type Signal, signal } from '@preact/signals';
import { ApiError, isAbort, send, streamEvents, toApiError } from '../../../api.ts';
import { type Call, formOf } from '../call/call.ts';
import { warningsIn } from './warnings.ts';

/** The state of a run. */
export type RunState = 'running' | 'done' | 'failed' | 'stopped';

let lastId = 0;

/** One attempt of a call, and its result. It continues while the user is in another view. */
export class Run<R> {
	readonly id: number;
	readonly call: Call;
	readonly state: Signal<RunState> = signal('running');
	readonly error: Signal<ApiError | undefined> = signal(undefined);
	/** The result so far. */
	readonly result: Signal<R | undefined> = signal(undefined);
	readonly warnings: Signal<readonly string[]> = signal([]);
	/** The model, the usage and the duration. */
	readonly facts: Signal<readonly string[]> = signal([]);
	readonly #abort = new AbortController();
	readonly #addresses: string[] = [];

	constructor(call: Call) {
		lastId += 1;
		this.id = lastId;
		this.call = call;
	}

	get signal(): AbortSignal {
		return this.#abort.signal;
	}

	/** Does the work and sets the state at its end. Never rejects. */
	async start(work: (run: Run<R>) => Promise<void>): Promise<void> {
		const startedAt = performance.now();
		try {
			await work(this);
			this.#end('done');
			const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
			this.facts.value = [...this.facts.value, `${seconds} s`];
		} catch (error) {
			if (this.signal.aborted || isAbort(error)) this.#end('stopped');
			else this.#end('failed', toApiError(error));
		}
	}

	#end(state: RunState, error?: ApiError): void {
		batch(() => {
			this.state.value = state;
			this.error.value = error;
		});
	}

	/** Aborts the request. */
	stop(): void {
		this.#abort.abort();
	}

	/** Adds warnings without duplicates. */
	warn(texts: readonly string[] = []): void {
		if (texts.length > 0) this.warnings.value = [...new Set([...this.warnings.value, ...texts])];
	}

	/** Sends the call; with `json`, if set, instead of its fields. */
	async send(json?: unknown): Promise<Response> {
		const response = await send('POST', this.call.path, this.#options(json));
		this.#readHeaders(response);
		return response;
	}

	/** Sends the call like `send`, and yields the events of its response. `onEnd` is called for `[DONE]`. */
	async *events<T>(json?: unknown, onEnd?: () => void): AsyncGenerator<T, void> {
		const onOpen = (response: Response) => this.#readHeaders(response);
		for await (const { data } of streamEvents('POST', this.call.path, { ...this.#options(json), onOpen })) {
			if (data !== '[DONE]') yield JSON.parse(data) as T;
			else onEnd?.();
		}
	}

	#options(json: unknown = this.call.fields) {
		return { signal: this.signal, ...(this.call.encoding === 'form' ? { form: formOf(this.call) } : { json }) };
	}

	#readHeaders({ headers }: Response): void {
		this.warn(warningsIn(headers.get('x-plinth-warnings')));
		const model = headers.get('x-plinth-model');
		if (model) this.facts.value = [decoded(model)];
	}

	/** A URL for bytes. It is revoked when the run is removed. */
	addressOf(blob: Blob): string {
		const address = URL.createObjectURL(blob);
		this.#addresses.push(address);
		return address;
	}

	/** Revokes the URL of bytes that are no longer shown. */
	release(address: string | undefined): void {
		if (address === undefined) return;
		this.#addresses.splice(this.#addresses.indexOf(address), 1);
		URL.revokeObjectURL(address);
	}

	/** Stops the run and revokes its URLs. */
	remove(): void {
		this.stop();
		for (const address of this.#addresses.splice(0)) URL.revokeObjectURL(address);
	}
}

/** The error for a stream that ended without its last event. */
export function incompleteStream(): ApiError {
	return new ApiError('The connection ended before the answer was complete.', { code: 'unreachable' });
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
