import type { Clock } from '@plinth/core';
import { type Preview, readPreview } from './preview.ts';
import type { FeedMessage } from './progress.ts';
import type { Server } from './server.ts';

/** Receives what the socket says about one prompt. */
export interface FeedListener {
	onMessage(message: FeedMessage): void;
	onPreview(preview: Preview): void;
	/** Called when a prompt of anybody has left the queue, and when the socket is lost: it is time to look. */
	onChange(): void;
}

/** Milliseconds that a socket stays open without a listener. */
const lingerMs = 10_000;

/** Milliseconds after which a socket that does not open is waited for no more. */
const openMs = 5_000;

/**
 * The socket of one client id, open while somebody listens. ComfyUI sends the events of a prompt to the client that is
 * named in it, so that an attempt after a restart listens under the client id of the first one.
 */
export class Feed {
	readonly #server: Server;
	readonly #clock: Clock;
	readonly #client: string;
	readonly #listeners = new Map<string, FeedListener>();
	#socket: InstanceType<typeof import('undici')['WebSocket']> | undefined;
	#opening: Promise<void> | undefined;
	#cancelLinger = () => {};
	/** The prompt that runs, for frames that name none. */
	#running: string | undefined;
	#queueLength = 0;
	#losses = 0;

	constructor(server: Server, clock: Clock, client: string) {
		this.#server = server;
		this.#clock = clock;
		this.#client = client;
	}

	/** How often the socket was lost. */
	get losses(): number {
		return this.#losses;
	}

	get isOpen(): boolean {
		return this.#socket?.readyState === 1;
	}

	/** Whether nobody listens and the socket is closed. */
	get isIdle(): boolean {
		return this.#listeners.size === 0 && !this.#socket && !this.#opening;
	}

	/** Listens for a prompt until the returned function is called. */
	listen(prompt: string, listener: FeedListener): () => void {
		this.#cancelLinger();
		this.#listeners.set(prompt, listener);
		return () => {
			if (this.#listeners.get(prompt) === listener) this.#listeners.delete(prompt);
			if (this.#listeners.size > 0) return;
			this.#cancelLinger();
			this.#cancelLinger = this.#clock.after(lingerMs, () => this.close());
		};
	}

	/** Opens the socket unless it is open. Resolves also when that fails: then the history is asked. */
	open(): Promise<void> {
		if (this.isOpen) return Promise.resolve();
		this.#opening ??= this.#connect().finally(() => {
			this.#opening = undefined;
		});
		return this.#opening;
	}

	close(): void {
		this.#cancelLinger();
		const socket = this.#socket;
		this.#socket = undefined;
		socket?.close();
	}

	async #connect(): Promise<void> {
		const { undici, agent } = await this.#server.load();
		const { url, headers } = this.#server;
		const address = `${url.replace(/^http/, 'ws')}/ws?clientId=${this.#client}`;
		const socket = new undici.WebSocket(address, { dispatcher: agent, headers: { ...headers } });
		socket.binaryType = 'arraybuffer';
		this.#socket = socket;
		const { promise, resolve } = Promise.withResolvers<void>();
		socket.addEventListener('open', () => {
			// Must be the first message. From then on, previews name their prompt.
			socket.send(JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } }));
			resolve();
		});
		socket.addEventListener('message', ({ data }) => this.#read(data));
		socket.addEventListener('error', () => {});
		socket.addEventListener('close', () => {
			resolve();
			this.#losses += 1;
			if (this.#socket !== socket) return;
			this.#socket = undefined;
			this.#tellAll();
		});
		const cancelTimer = this.#clock.after(openMs, resolve);
		await promise;
		cancelTimer();
	}

	#tellAll(): void {
		for (const listener of [...this.#listeners.values()]) listener.onChange();
	}

	#read(data: unknown): void {
		if (data instanceof ArrayBuffer) {
			const preview = readPreview(Buffer.from(data));
			if (preview) this.#listeners.get(preview.prompt ?? this.#running ?? '')?.onPreview(preview);
			return;
		}
		const message = messageOf(`${data}`);
		if (!message) return;
		const { type, data: told } = message;
		if (type === 'status') {
			// All clients are told the length of the queue; it alone tells of a prompt that was taken out.
			const length = told.status?.exec_info?.queue_remaining ?? 0;
			if (length < this.#queueLength) this.#tellAll();
			this.#queueLength = length;
			return;
		}
		if (type === 'execution_start') this.#running = told.prompt_id;
		// Older versions leave the prompt out of some messages.
		this.#listeners.get(told.prompt_id ?? this.#running ?? '')?.onMessage(message);
	}
}

function messageOf(text: string): FeedMessage | undefined {
	try {
		const { type, data } = JSON.parse(text) as FeedMessage;
		return typeof type === 'string' && typeof data === 'object' && data !== null ? { type, data } : undefined;
	} catch {
		return undefined;
	}
}
