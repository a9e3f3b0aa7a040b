import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { type Clock, isPlinthError, orAbort, plinthError } from '@plinth/core';
import type { MediaInput } from '@plinth/plugin-video/model';
import { Agent, FormData, RetryAgent, request, WebSocket } from 'undici';
import { z } from 'zod';
import type { CommonOptions } from './options.ts';
import type { Graph } from './workflow.ts';

const messageSchema = z.tuple([z.string(), z.record(z.string(), z.unknown())]);
const entrySchema = z.object({
	outputs: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
	status: z.object({ status_str: z.string(), messages: z.array(messageSchema).catch([]) }).nullish(),
});
const historySchema = z.record(z.string(), entrySchema);
const lengthSchema = z.object({ exec_info: z.object({ queue_remaining: z.number() }) });
const items = z.array(z.array(z.unknown()));
const queueSchema = z.object({ queue_running: items, queue_pending: items });
const uploadSchema = z.object({ name: z.string(), subfolder: z.string() });

/** The entry of the history for a prompt that has ended. */
export type HistoryEntry = z.output<typeof entrySchema>;

/** A picture to upload: PNG, JPEG or WebP. */
export type Picture = Pick<MediaInput, 'mediaType' | 'bytes'>;

/** The options of a request. */
interface RequestOptions {
	/** A string is JSON. A request with a body is a POST. */
	readonly body?: string | FormData;
	readonly signal?: AbortSignal | undefined;
	/** For a GET: while the server is unreachable, the request is repeated. It then continues an interrupted response. */
	readonly retriesOutages?: boolean;
}

/** Milliseconds between two attempts to stop a prompt, and the maximum number of attempts. */
const stopRetryMs = 250;
const maxStopAttempts = 40;
/** Milliseconds between two requests to an unreachable server, and the error codes of an outage. */
const outageRetryMs = 500;
const unreachable = ['ECONNREFUSED', 'EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'];
const broken = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'];
const proxyErrors = [502, 503, 504];

/** A ComfyUI server. Requests reject with `E_MODEL_UNAVAILABLE`, `_TIMEOUT`, `_FAILED`, or the signal's reason. */
export class Server {
	readonly url: string;
	readonly clock: Clock;
	readonly #agent: Agent;
	readonly #retryAgent: RetryAgent;
	readonly #headers: Readonly<Record<string, string>>;
	#shared: WebSocket | undefined;
	/** The requests that queue prompts. */
	readonly #sending = new Map<string, Promise<unknown>>();

	constructor(url: string, { headers, timeoutSeconds }: CommonOptions, clock: Clock) {
		this.url = url;
		this.#headers = headers;
		this.clock = clock;
		const timeoutMs = timeoutSeconds * 1_000;
		const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, keepAliveTimeout: 30_000 };
		this.#agent = new Agent({ ...timeouts, webSocket: { maxPayloadSize: 16_777_216 } });
		this.#retryAgent = new RetryAgent(this.#agent, {
			maxRetries: timeoutMs / outageRetryMs,
			minTimeout: outageRetryMs,
			timeoutFactor: 1,
			retryAfter: false,
			statusCodes: proxyErrors,
			errorCodes: [...unreachable, ...broken],
		});
	}

	/** Opens the socket of a client id. Without one: a shared socket, which stays open and reports only the queue. */
	connect(client?: string): WebSocket {
		if (!client && this.#shared && this.#shared.readyState <= WebSocket.OPEN) return this.#shared;
		const address = `${this.url.replace(/^http/, 'ws')}/ws?clientId=${client ?? randomUUID()}`;
		const socket = new WebSocket(address, { dispatcher: this.#agent, headers: { ...this.#headers } });
		const flags = { type: 'feature_flags', data: { supports_preview_metadata: true } };
		// Must be the first message. Without it, nodes that report their own progress send no previews.
		socket.addEventListener('open', () => socket.send(JSON.stringify(flags)));
		// A `close` event follows.
		socket.addEventListener('error', () => {});
		socket.binaryType = 'arraybuffer';
		setMaxListeners(0, socket);
		if (!client) this.#shared = socket;
		return socket;
	}

	/** Closes all connections. */
	async close(): Promise<void> {
		this.#shared?.close();
		await this.#agent.destroy();
	}

	/** Looks for a prompt in the history and in the queue. Resolves to undefined when it is in neither. */
	async lookUp(id: string, options: RequestOptions = {}) {
		const readHistory = async () => (await this.json(historySchema, `/history/${id}`, options))[id];
		const entry = await readHistory();
		if (entry) return entry;
		const { queue_running: running, queue_pending: pending } = await this.json(queueSchema, '/queue', options);
		if (running.some(([, queuedId]) => queuedId === id)) return 'running';
		if (pending.some(([, queuedId]) => queuedId === id)) return 'pending';
		// It may have ended between the two requests.
		return readHistory();
	}

	/** The number of waiting and running prompts. */
	async queueLength(signal: AbortSignal): Promise<number> {
		return (await this.json(lengthSchema, '/prompt', { signal })).exec_info.queue_remaining;
	}

	/** Queues a prompt. Resolves to the response, which may be a refusal. No signal: an aborted request may arrive. */
	queue(prompt: { prompt_id: string; prompt: Graph; client_id: string; extra_data: object }): Promise<unknown> {
		const { prompt_id: id } = prompt;
		const sending = this.json(z.unknown(), '/prompt', { body: JSON.stringify(prompt) });
		this.#sending.set(id, sending);
		return sending.finally(() => this.#sending.delete(id));
	}

	/**
	 * Stops a prompt, and checks that it has stopped: ComfyUI drops an interruption that arrives while a prompt starts.
	 * First awaits a running request that queues the prompt.
	 */
	async stop(id: string): Promise<void> {
		await this.#sending.get(id)?.catch(() => {});
		for (let attempts = 0; attempts < maxStopAttempts; attempts++) {
			// Checks and stops in one step. Older versions lack this route, and their `/interrupt` stops any running prompt.
			const stopped = await this.post(`/api/jobs/${id}/cancel`, {}).catch(() => null);
			try {
				const state = await this.lookUp(id);
				if (typeof state !== 'string') return;
				if (!stopped && state === 'pending') await this.post('/queue', { delete: [id] });
				if (!stopped && state === 'running') await this.post('/interrupt', { prompt_id: id });
			} catch {
				// The next attempt calls an unreachable server again.
			}
			await new Promise<void>((resolve) => void this.clock.after(stopRetryMs, resolve));
		}
		throw new Error(`${this.url} does not stop a prompt`);
	}

	/** Uploads a picture into the folder `plinth`. Resolves to the name for a node that loads pictures. */
	async upload(stem: string, picture: Picture, signal: AbortSignal): Promise<string> {
		const type = picture.mediaType;
		const bytes = new Uint8Array(await picture.bytes());
		const form = new FormData();
		form.set('image', new File([bytes], `${stem}.${type.slice('image/'.length)}`, { type }));
		const fields = { subfolder: 'plinth', type: 'input', overwrite: 'true' };
		for (const [name, value] of Object.entries(fields)) form.set(name, value);
		const { name, subfolder } = await this.json(uploadSchema, '/upload/image', { body: form, signal });
		return subfolder ? `${subfolder}/${name}` : name;
	}

	/** Posts JSON. The response may be empty. */
	post(path: string, json: object): Promise<unknown> {
		return this.json(z.unknown(), path, { body: JSON.stringify(json) });
	}

	/** The JSON of a response. */
	async json<T extends z.ZodType>(schema: T, path: string, options: RequestOptions = {}): Promise<z.output<T>> {
		const reading = this.#send(path, options).then((body) => body.text());
		const text = await reading.catch((error: unknown) => this.#fail(error, options));
		try {
			return schema.parse(JSON.parse(text || 'true'));
		} catch {
			throw plinthError('E_MODEL_FAILED', { cause: new Error(`${this.url}${path} answered ${text.slice(0, 200)}`) });
		}
	}

	/** The chunks of a response. */
	async *read(path: string, options: RequestOptions): AsyncGenerator<Buffer> {
		try {
			yield* await this.#send(path, options);
		} catch (error) {
			this.#fail(error, options);
		}
	}

	async #send(path: string, { body, signal, retriesOutages = false }: RequestOptions) {
		const type = typeof body === 'string' && { 'content-type': 'application/json' };
		const responding = request(`${this.url}${path}`, {
			method: body ? 'POST' : 'GET',
			dispatcher: retriesOutages ? this.#retryAgent : this.#agent,
			headers: { ...this.#headers, ...type },
			body: body ?? null,
			signal: signal ?? null,
		});
		// The signal alone does not end a pending attempt to connect.
		const { statusCode, body: answer } = await (signal ? orAbort(signal, responding) : responding);
		// The refusal of a prompt states its faults.
		if (statusCode === 200 || (statusCode === 400 && path === '/prompt')) return answer;
		const failure = `${this.url}${path} answered ${statusCode}: ${(await answer.text()).slice(0, 200)}`;
		if (proxyErrors.includes(statusCode)) throw new Error(failure);
		throw plinthError('E_MODEL_FAILED', { cause: new Error(failure) });
	}

	/** Throws the coded error for a failed request. */
	#fail(error: unknown, { signal }: RequestOptions): never {
		signal?.throwIfAborted();
		if (isPlinthError(error)) throw error;
		const isSlow = /TIMEOUT/.test(`${(error as NodeJS.ErrnoException)?.code}`);
		const cause = new Error(`${this.url} does not answer`, { cause: error });
		throw plinthError(isSlow ? 'E_MODEL_TIMEOUT' : 'E_MODEL_UNAVAILABLE', { cause });
	}
}

/** Whether an error means that the server is unreachable at present. */
export function isOutage(error: unknown): boolean {
	return isPlinthError(error) && (error.code === 'E_MODEL_UNAVAILABLE' || error.code === 'E_MODEL_TIMEOUT');
}
