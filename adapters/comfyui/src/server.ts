import type { Readable } from 'node:stream';
import { isPlinthError, type PlinthError, plinthError } from '@plinth/core';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Graph } from './workflow.ts';

type Undici = typeof import('undici');

const entrySchema = z.object({
	outputs: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
	status: z
		.object({ status_str: z.string().default('success'), messages: z.array(z.unknown()).default([]) })
		.nullish()
		.transform((status) => status ?? { status_str: 'success', messages: [] }),
});

/** What the history keeps of a prompt. */
export type HistoryEntry = z.output<typeof entrySchema>;

/** Where a prompt is. `unknown`: neither queued nor in the history. */
export type PromptState =
	| { readonly at: 'pending' | 'running' | 'unknown' }
	| { readonly at: 'history'; readonly entry: HistoryEntry };

const items = z.array(z.array(z.unknown()));
const queueSchema = z.object({ queue_running: items, queue_pending: items });
const lengthSchema = z.object({ exec_info: z.object({ queue_remaining: z.number() }) });
const uploadSchema = z.object({ name: z.string(), subfolder: z.string() });
const recordSchema = z.record(z.string(), z.unknown());

/** What a request has besides its path; with `json` or `form` it is a POST. */
interface Sent {
	readonly json?: unknown;
	readonly form?: (undici: Undici) => InstanceType<Undici['FormData']>;
	readonly range?: string;
	readonly signal?: AbortSignal | undefined;
}

/** Maximum bytes of a JSON body. */
const jsonBytes = 67_108_864;

/** A ComfyUI. Requests reject with `E_MODEL_UNAVAILABLE`, `_TIMEOUT` or `_FAILED`, or with the signal's reason. */
export class Server {
	/** Without a slash at the end. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly #timeoutMs: number;
	#loading: ReturnType<Server['load']> | undefined;

	constructor(url: string, headers: Server['headers'], timeoutMs: number) {
		this.url = url;
		this.headers = headers;
		this.#timeoutMs = timeoutMs;
	}

	/** Undici and the connections, loaded with the first request: an unused model does not need them. */
	load(): Promise<{ undici: Undici; agent: InstanceType<Undici['Agent']> }> {
		this.#loading ??= import('undici').then((undici) => {
			const timeouts = { headersTimeout: this.#timeoutMs, bodyTimeout: this.#timeoutMs, keepAliveTimeout: 30_000 };
			return { undici, agent: new undici.Agent({ ...timeouts, webSocket: { maxPayloadSize: 16_777_216 } }) };
		});
		return this.#loading;
	}

	/** The number of prompts that run or wait. */
	async queueLength(signal: AbortSignal): Promise<number> {
		return lengthSchema.parse(await this.#json('/prompt', { signal })).exec_info.queue_remaining;
	}

	/** Looks for a prompt in the queue, then in the history: a prompt only moves in this direction. */
	async look(id: string, signal?: AbortSignal): Promise<PromptState> {
		const queue = queueSchema.parse(await this.#json('/queue', { signal }));
		if (queue.queue_running.some(([, prompt]) => prompt === id)) return { at: 'running' };
		if (queue.queue_pending.some(([, prompt]) => prompt === id)) return { at: 'pending' };
		return this.lookUp(id, signal);
	}

	/** Looks for a prompt in the history only. */
	async lookUp(id: string, signal?: AbortSignal): Promise<PromptState> {
		const entry = recordSchema.parse(await this.#json(`/history/${id}`, { signal }))[id];
		return entry === undefined ? { at: 'unknown' } : { at: 'history', entry: entrySchema.parse(entry) };
	}

	/** Queues a prompt. A refusal is an answer, too. */
	async prompt(id: string, client: string, prompt: Graph, previews: boolean): Promise<unknown> {
		const extra_data = { preview_method: previews ? 'auto' : 'none' };
		return this.#json('/prompt', { json: { prompt, prompt_id: id, client_id: client, extra_data } }, [200, 400]);
	}

	/** Stops a prompt if it runs or waits. False: this version has no such route. */
	async cancel(id: string): Promise<boolean> {
		return (await this.#post(`/api/jobs/${id}/cancel`, {}, [200, 404, 405])) === 200;
	}

	/** Takes a prompt out of the queue. */
	delete(id: string): Promise<unknown> {
		return this.#post('/queue', { delete: [id] });
	}

	/** Interrupts what runs. Older versions ignore the id. */
	interrupt(id: string): Promise<unknown> {
		return this.#post('/interrupt', { prompt_id: id });
	}

	/** Releases the memory of all models once no prompt runs. */
	free(): Promise<unknown> {
		return this.#post('/free', { unload_models: true, free_memory: true });
	}

	/** Uploads a picture into the folder `plinth`. Resolves to the name for a node that loads pictures. */
	async upload(stem: string, bytes: Uint8Array, mediaType: string, signal: AbortSignal): Promise<string> {
		const file = new File([Uint8Array.from(bytes)], `${stem}.${mediaType.slice('image/'.length)}`, { type: mediaType });
		const form = ({ FormData }: Undici) => {
			const form = new FormData();
			form.set('image', file);
			form.set('subfolder', 'plinth');
			form.set('type', 'input');
			form.set('overwrite', 'true');
			return form;
		};
		const { name, subfolder } = uploadSchema.parse(await this.#json('/upload/image', { form, signal }));
		return subfolder ? `${subfolder}/${name}` : name;
	}

	/** What the server says of a class of nodes; undefined for an unknown one. */
	async classInfo(name: string): Promise<{ readonly output_node?: unknown } | undefined> {
		return recordSchema.parse(await this.#json(`/object_info/${encodeURIComponent(name)}`))[name] as object | undefined;
	}

	/** Opens a file by its query, from a byte on. The caller reads the body or destroys it. */
	async open(query: string, from: number, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
		const answer = await this.#send(`/view?${query}`, { signal, ...(from > 0 && { range: `bytes=${from}-` }) });
		if (answer.statusCode === 200 || answer.statusCode === 206) return answer;
		answer.body.destroy();
		throw this.#failed(`/view answered ${answer.statusCode}`);
	}

	/** A whole body. Rejects when it is longer than `maxBytes`, and when it breaks off. */
	async whole(body: Readable, maxBytes: number): Promise<Buffer> {
		const chunks: Buffer[] = [];
		let length = 0;
		try {
			for await (const chunk of body as AsyncIterable<Buffer>) {
				length += chunk.length;
				if (length > maxBytes) throw this.#failed(` sent more than ${maxBytes} bytes`);
				chunks.push(chunk);
			}
		} catch (error) {
			throw isPlinthError(error) ? error : this.unavailable(error);
		}
		return Buffer.concat(chunks, length);
	}

	async close(): Promise<void> {
		await (await this.#loading)?.agent.destroy();
	}

	/** The error for a server that cannot be reached. */
	unavailable(cause: unknown): PlinthError {
		const isSlow = /TIMEOUT/.test(`${(cause as NodeJS.ErrnoException)?.code}`);
		const code = isSlow ? 'E_MODEL_TIMEOUT' : 'E_MODEL_UNAVAILABLE';
		return plinthError(code, { cause: new Error(`${this.url} does not answer`, { cause }) });
	}

	#failed(what: string): PlinthError {
		return plinthError('E_MODEL_FAILED', { cause: new Error(`${this.url}${what}`) });
	}

	async #post(path: string, json: unknown, expected = [200]): Promise<number> {
		const { statusCode, body } = await this.#send(path, { json });
		body.resume();
		if (expected.includes(statusCode)) return statusCode;
		throw this.#failed(`${path} answered ${statusCode}`);
	}

	async #json(path: string, sent: Sent = {}, expected = [200]): Promise<unknown> {
		const { statusCode, body } = await this.#send(path, sent);
		const text = (await this.whole(body, jsonBytes)).toString();
		try {
			if (expected.includes(statusCode)) return JSON.parse(text);
		} catch {
			// Reported below.
		}
		throw this.#failed(`${path} answered ${statusCode}: ${text.slice(0, 200)}`);
	}

	async #send(path: string, { json, form, range, signal }: Sent): Promise<Dispatcher.ResponseData> {
		const { undici, agent } = await this.load();
		const headers = { ...(json !== undefined && { 'content-type': 'application/json' }), ...(range && { range }) };
		try {
			const answer = await undici.request(`${this.url}${path}`, {
				method: json === undefined && !form ? 'GET' : 'POST',
				dispatcher: agent,
				headers: { ...this.headers, ...headers },
				body: form ? form(undici) : json === undefined ? null : JSON.stringify(json),
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
}
