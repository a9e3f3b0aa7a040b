import { WebSocket } from 'undici';
import { type Message, readMessage } from './messages.ts';
import type { Server } from './server.ts';

/** Hears of one prompt. */
export interface FeedListener {
	readonly ticket: { readonly id: string };
	onMessage(message: Message): void;
	/** Called when a prompt of anybody has left the queue, and when the socket is lost: it is time to look. */
	onChange(): void;
}

/** Milliseconds after which a socket that does not open is given up. */
const openMs = 5_000;

/**
 * The socket of one client id. ComfyUI sends the events of a prompt to the client that is named in it, so that an
 * attempt after a restart listens under the client id of the first one.
 */
export class Feed {
	readonly listeners = new Set<FeedListener>();
	readonly #server: Server;
	readonly #client: string;
	#socket: WebSocket | undefined;
	#opened = Promise.resolve();
	/** The prompt that runs, for messages that name none. */
	#running = '';
	#queueLength = 0;
	/** How often the socket was lost. */
	losses = 0;

	constructor(server: Server, client: string) {
		this.#server = server;
		this.#client = client;
	}

	get isOpen(): boolean {
		return this.#socket?.readyState === WebSocket.OPEN;
	}

	/** Opens the socket unless it is open. Resolves also when that fails: then the history is asked. */
	open(): Promise<void> {
		const isThere = this.isOpen || this.#socket?.readyState === WebSocket.CONNECTING;
		if (!isThere) this.#opened = this.#connect();
		return this.#opened;
	}

	close(): void {
		this.#socket?.close();
	}

	async #connect(): Promise<void> {
		const { url, headers, agent, clock } = this.#server;
		const address = `${url.replace(/^http/, 'ws')}/ws?clientId=${this.#client}`;
		const socket = new WebSocket(address, { dispatcher: agent, headers: { ...headers } });
		const { promise, resolve } = Promise.withResolvers<void>();
		socket.binaryType = 'arraybuffer';
		socket.addEventListener('open', () => {
			// Must be the first message. From then on, previews name their prompt.
			socket.send(JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } }));
			resolve();
		});
		socket.addEventListener('message', ({ data }) => this.#read(readMessage(data)));
		socket.addEventListener('error', () => {});
		socket.addEventListener('close', () => {
			resolve();
			this.losses += 1;
			this.#tellAll();
		});
		this.#socket = socket;
		const cancelTimer = clock.after(openMs, resolve);
		await promise;
		cancelTimer();
		if (!this.isOpen) socket.close();
	}

	#tellAll(): void {
		for (const listener of this.listeners) listener.onChange();
	}

	#read(message: Message | undefined): void {
		if (!message) return;
		const { type, data } = message;
		if (data.status) {
			// All clients are told the length of the queue; it alone tells of a prompt that was taken out.
			const length = data.status.exec_info.queue_remaining;
			if (length < this.#queueLength) this.#tellAll();
			this.#queueLength = length;
		}
		if (type === 'execution_start') this.#running = data.prompt_id ?? '';
		const prompt = data.prompt_id ?? this.#running;
		for (const listener of this.listeners) if (listener.ticket.id === prompt) listener.onMessage(message);
	}
}
