import { type Clock, isPlinthError, type PlinthError, plinthError } from '@plinth/core';
import type { MediaInput } from '@plinth/plugin-video/model';
import { Agent, type Dispatcher, FormData, request } from 'undici';
import { z } from 'zod';
import type { CommonOptions } from './options.ts';
import type { Graph } from './workflow.ts';

const messageSchema = z.tuple([z.string(), z.record(z.string(), z.unknown())]);
const entrySchema = z.object({
	outputs: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
	status: z.object({ status_str: z.string(), messages: z.array(messageSchema).catch([]) }).nullish(),
});
const historySchema = z.record(z.string(), entrySchema);
const items = z.array(z.array(z.unknown()));
const queueSchema = z.object({ queue_running: items, queue_pending: items });
const uploadSchema = z.object({ name: z.string(), subfolder: z.string() });

/** What the history keeps of a prompt that has ended. */
export type HistoryEntry = z.output<typeof entrySchema>;

/** Where a prompt is; undefined: neither in the queue nor in the history. */
export type PromptState = 'pending' | 'running' | HistoryEntry | undefined;

/** A picture to upload: PNG, JPEG or WebP. */
export type Picture = Pick<MediaInput, 'mediaType' | 'bytes'>;

/** What a request has besides its path. With `json` or `form` it is a POST. */
interface Sent {
	readonly json?: object;
	readonly form?: FormData;
	/** The first byte that is wanted. */
	readonly from?: number;
	readonly signal?: AbortSignal | undefined;
}

/** Milliseconds between two attempts to stop a prompt, and the most attempts. */
const stopMs = 250;
const mostStops = 40;

/** A ComfyUI. Requests reject with `E_MODEL_UNAVAILABLE`, `_TIMEOUT` or `_FAILED`, or with the signal's reason. */
export class Server {
	/** Without a slash at the end. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly clock: Clock;
	/** Maximum milliseconds without a response. */
	readonly timeoutMs: number;
	readonly agent: Agent;
	/** The requests that queue prompts. */
	readonly #sending = new Map<string, Promise<unknown>>();

	constructor(url: string, { headers, timeoutSeconds }: CommonOptions, clock: Clock) {
		this.url = url;
		this.headers = headers;
		this.clock = clock;
		this.timeoutMs = timeoutSeconds * 1_000;
		const timeouts = { headersTimeout: this.timeoutMs, bodyTimeout: this.timeoutMs, keepAliveTimeout: 30_000 };
		this.agent = new Agent({ ...timeouts, webSocket: { maxPayloadSize: 16_777_216 } });
	}

	/** Looks for a prompt in the history and in the queue. */
	async look(id: string, signal?: AbortSignal): Promise<PromptState> {
		const ended = async () => (await this.json(historySchema, `/history/${id}`, { signal }))[id];
		const entry = await ended();
		if (entry) return entry;
		const { queue_running: running, queue_pending: pending } = await this.json(queueSchema, '/queue', { signal });
		if (running.some(([, one]) => one === id)) return 'running';
		if (pending.some(([, one]) => one === id)) return 'pending';
		// It may have ended between the two requests.
		return ended();
	}

	/** Queues a prompt. Resolves to the response, which may be a refusal. Not aborted: it might have arrived. */
	queue(id: string, rest: { prompt: Graph; client_id: string; extra_data: object }): Promise<unknown> {
		const json = { ...rest, prompt_id: id };
		const sending = this.json(z.unknown(), '/prompt', { json }, [200, 400]);
		this.#sending.set(id, sending);
		return sending.finally(() => this.#sending.delete(id));
	}

	/**
	 * Stops a prompt, and looks whether it has stopped: ComfyUI forgets an interruption that comes while a prompt
	 * begins. A request that still queues it is awaited first.
	 */
	async stop(id: string): Promise<void> {
		await this.#sending.get(id)?.catch(() => {});
		for (let tries = 0; tries < mostStops; tries++) {
			try {
				// Older versions have no route that looks and stops at once, and interrupt whatever runs.
				const isOld = (await this.post(`/api/jobs/${id}/cancel`, {}, [200, 404, 405])) !== 200;
				const state = isOld ? await this.look(id) : undefined;
				if (state === 'pending') await this.post('/queue', { delete: [id] });
				if (state === 'running') await this.post('/interrupt', { prompt_id: id });
				if (typeof (await this.look(id)) !== 'string') return;
			} catch (error) {
				if (!isOutage(error)) throw error;
			}
			await new Promise<void>((resolve) => void this.clock.after(stopMs, resolve));
		}
		throw new Error(`${this.url} does not stop a prompt`);
	}

	/** Uploads a picture into the folder `plinth`. Resolves to the name for a node that loads pictures. */
	async upload(stem: string, picture: Picture, signal: AbortSignal): Promise<string> {
		const type = picture.mediaType;
		const bytes = Uint8Array.from(await picture.bytes());
		const form = new FormData();
		form.set('image', new File([bytes], `${stem}.${type.slice('image/'.length)}`, { type }));
		form.set('subfolder', 'plinth');
		form.set('type', 'input');
		form.set('overwrite', 'true');
		const { name, subfolder } = await this.json(uploadSchema, '/upload/image', { form, signal });
		return subfolder ? `${subfolder}/${name}` : name;
	}

	/** The JSON of a response with an expected status. */
	async json<T extends z.ZodType>(schema: T, path: string, sent: Sent = {}, expected = [200]): Promise<z.output<T>> {
		const { statusCode, body } = await this.send(path, sent);
		const text = await body.text().catch((error: unknown) => Promise.reject(this.unavailable(error)));
		try {
			if (expected.includes(statusCode)) return schema.parse(JSON.parse(text));
		} catch {
			// Reported below.
		}
		throw this.failed(`${path} answered ${statusCode}: ${text.slice(0, 200)}`);
	}

	/** The status of a response whose body is of no use. */
	async post(path: string, json: object, expected = [200]): Promise<number> {
		const { statusCode, body } = await this.send(path, { json });
		body.resume();
		if (expected.includes(statusCode)) return statusCode;
		throw this.failed(`${path} answered ${statusCode}`);
	}

	/** A response of any status but those of a proxy. The caller reads the body or destroys it. */
	async send(path: string, { json, form, from = 0, signal }: Sent): Promise<Dispatcher.ResponseData> {
		const type = json && { 'content-type': 'application/json' };
		const range = from > 0 && { range: `bytes=${from}-` };
		try {
			const answer = await request(`${this.url}${path}`, {
				method: json || form ? 'POST' : 'GET',
				dispatcher: this.agent,
				headers: { ...this.headers, ...type, ...range },
				body: form ?? (json ? JSON.stringify(json) : null),
				...(signal && { signal }),
			});
			// Without a listener, an error of an unread body would end the process.
			answer.body.on('error', () => {});
			if (answer.statusCode < 502 || answer.statusCode > 504) return answer;
			answer.body.destroy();
			throw new Error(`the proxy answered ${answer.statusCode}`);
		} catch (error) {
			signal?.throwIfAborted();
			throw this.unavailable(error);
		}
	}

	/** The error for a response that is of no use. */
	failed(what: string): PlinthError {
		return plinthError('E_MODEL_FAILED', { cause: new Error(`${this.url}${what}`) });
	}

	/** The error for a server that cannot be reached. */
	unavailable(cause: unknown): PlinthError {
		const isSlow = /TIMEOUT/.test(`${(cause as NodeJS.ErrnoException)?.code}`);
		const code = isSlow ? 'E_MODEL_TIMEOUT' : 'E_MODEL_UNAVAILABLE';
		return plinthError(code, { cause: new Error(`${this.url} does not answer`, { cause }) });
	}
}

/** Whether an error means that the server does not answer at present. */
export function isOutage(error: unknown): boolean {
	return isPlinthError(error) && (error.code === 'E_MODEL_UNAVAILABLE' || error.code === 'E_MODEL_TIMEOUT');
}
