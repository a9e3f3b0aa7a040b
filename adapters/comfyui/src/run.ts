import { once } from 'node:events';
import { modelError, orAbort } from '@plinth/core';
import type { VideoRun } from '@plinth/plugin-video/model';
import { WebSocket } from 'undici';
import { progressOf, readMessage } from './messages.ts';
import { refusalOf } from './outcome.ts';
import { type HistoryEntry, isOutage, type Picture, type Server } from './server.ts';
import type { Values, Workflow } from './workflow.ts';

/** Milliseconds between two lookups of a prompt while the socket is open, and while it is closed. */
const pollMs = { open: 10_000, closed: 1_000 } as const;
/** Milliseconds after which a socket that has not opened is closed. */
const openTimeoutMs = 5_000;
/** How often restarts of the server may lose a prompt: while it ran, and in total. */
const maxLosses = { running: 1, total: 10 } as const;

/** The values and pictures of a prompt. */
export interface Work {
	readonly makes: 'picture' | 'video';
	readonly values: Values;
	readonly images?: readonly Picture[] | undefined;
	readonly mask?: Picture | undefined;
}

/** A prompt and its server. */
export interface Prompt extends Work {
	readonly server: Server;
	/** A canonical lower-case UUID. */
	readonly id: string;
	readonly workflow: Workflow;
}

/**
 * The caller of a run. With a `checkpoint`, no client waits for the result, and requests to an unreachable server are
 * repeated. Without `preview`, no previews are requested.
 */
export type RunContext = Pick<VideoRun, 'signal' | 'log'> & Partial<VideoRun>;

/** Follows one prompt to its end, with a socket and by polling. */
export class Run {
	readonly #prompt: Prompt;
	readonly #context: RunContext;
	readonly #needsEvents: boolean;
	/** Removes the listeners of the socket. */
	readonly #stopListening = new AbortController();
	readonly #fractionAfter: ReturnType<typeof progressOf>;
	readonly #losses = { running: 0, total: 0 };
	/** The socket in use when the server accepted the prompt; undefined while no prompt of this run is accepted. */
	#acceptedWith: WebSocket | undefined;
	#wasRunning = false;
	#queueLength = 0;
	#socket: WebSocket | undefined;
	#change = Promise.withResolvers<void>();

	constructor(prompt: Prompt, context: RunContext) {
		this.#prompt = prompt;
		this.#context = context;
		this.#needsEvents = context.progress !== undefined || context.preview !== undefined;
		this.#fractionAfter = progressOf(Object.keys(prompt.workflow.graph));
	}

	/** Resolves once the prompt is in the history. `isSent`: an earlier attempt may have sent it. */
	async follow(isSent: boolean): Promise<HistoryEntry> {
		const { signal, checkpoint } = this.#context;
		const { server, id } = this.#prompt;
		try {
			for (let mayBeSent = isSent; ; mayBeSent = true) {
				if (!this.#isOpen) await orAbort(signal, this.#connect());
				this.#change = Promise.withResolvers();
				const retriesOutages = checkpoint !== undefined || this.#acceptedWith !== undefined;
				const state = mayBeSent ? await server.lookUp(id, { signal, retriesOutages }) : undefined;
				if (typeof state === 'object') return state;
				this.#wasRunning ||= state === 'running';
				if (!state) await this.#send(retriesOutages);
				const cancelTimer = server.clock.after(this.#isOpen ? pollMs.open : pollMs.closed, this.#change.resolve);
				await orAbort(signal, this.#change.promise).finally(cancelTimer);
			}
		} finally {
			this.#stopListening.abort();
			if (this.#needsEvents) this.#socket?.close();
		}
	}

	get #isOpen(): boolean {
		return this.#socket?.readyState === WebSocket.OPEN;
	}

	/**
	 * Opens the socket. Resolves also after a failure: then the history is polled. ComfyUI sends the events of a prompt
	 * to the client id in the prompt. It equals the id of the prompt, so that a later attempt receives them too.
	 */
	async #connect(): Promise<void> {
		const { id, server } = this.#prompt;
		const { signal } = this.#stopListening;
		const socket = server.connect(this.#needsEvents ? id : undefined);
		this.#socket = socket;
		socket.addEventListener('message', ({ data }) => this.#read(data), { signal });
		socket.addEventListener('close', () => this.#change.resolve(), { signal });
		if (this.#isOpen) return;
		const until = { signal: AbortSignal.any([signal, AbortSignal.timeout(openTimeoutMs)]) };
		const settled = Promise.race([once(socket, 'open', until), once(socket, 'close', until)]);
		await settled.catch(() => signal.aborted || socket.close());
	}

	#read(bytes: unknown): void {
		const message = readMessage(bytes);
		const { signal, progress, preview } = this.#context;
		if (!message || signal.aborted) return;
		const { type, data } = message;
		if (data.status) {
			// All clients receive the length of the queue. No other message reports that a prompt was removed from it.
			const length = data.status.exec_info.queue_remaining;
			if (length < this.#queueLength) this.#change.resolve();
			this.#queueLength = length;
		}
		// Prompts without a client id send events to all clients. A preview states no prompt; it is of the running one.
		if ((data.prompt_id ?? this.#prompt.id) !== this.#prompt.id) return;
		if (type === 'execution_start') this.#wasRunning = true;
		if (!message.preview) progress?.(this.#fractionAfter(message));
		else if (this.#wasRunning) preview?.(message.preview);
	}

	/** Sends the prompt, or sends it again. After an outage, the next lookup shows whether the server received it. */
	async #send(retriesOutages: boolean): Promise<void> {
		if (this.#acceptedWith) this.#countLoss();
		try {
			await this.#queue();
		} catch (error) {
			if (!retriesOutages || !isOutage(error)) throw error;
		}
	}

	/** Counts the loss of a prompt that the server had accepted. Throws when the prompt must not be sent again. */
	#countLoss(): void {
		if (this.#isOpen && this.#socket === this.#acceptedWith) {
			throw modelError('The work was removed from the queue of the server of the model.');
		}
		this.#losses.total += 1;
		if (this.#wasRunning) this.#losses.running += 1;
		if (this.#losses.running > maxLosses.running || this.#losses.total > maxLosses.total) {
			throw modelError('The server of the model restarted again during this work.');
		}
		this.#context.log.warn({ server: this.#prompt.server.url }, 'a ComfyUI has restarted; the prompt is sent again');
		this.#wasRunning = false;
		this.#acceptedWith = undefined;
	}

	/** Uploads the pictures of the request, puts its values into the workflow, and queues the workflow. */
	async #queue(): Promise<void> {
		const { server, id, workflow, makes, values, images = [], mask } = this.#prompt;
		const { signal, preview } = this.#context;
		const upload = (what: string, picture: Picture) => server.upload(`${id}-${what}`, picture, signal);
		const image: string[] = [];
		for (const [index, picture] of images.entries()) image.push(await upload(`image-${index + 1}`, picture));
		const prompt = workflow.fill({ ...values, image, mask: mask && (await upload('mask', mask)) });
		signal.throwIfAborted();
		const socket = this.#socket;
		// Without listeners, use a client id that no socket has.
		const client_id = this.#needsEvents ? id : `${id}-silent`;
		const extra_data = { preview_method: preview ? 'auto' : 'none' };
		const answer = await orAbort(signal, server.queue({ prompt_id: id, prompt, client_id, extra_data }));
		const refusal = refusalOf(answer, workflow, makes === 'video' ? 'input_reference' : 'image');
		if (refusal) {
			// ComfyUI may have accepted other outputs of the prompt. Their results would not be used.
			await server.post('/queue', { delete: [id] }).catch(() => {});
			throw refusal;
		}
		this.#acceptedWith = socket;
	}
}
