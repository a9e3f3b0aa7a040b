import { type Clock, type PlinthError, plinthError } from '@plinth/core';
import { Agent, type Dispatcher, type FormData, request } from 'undici';
import type { z } from 'zod';
import type { CommonOptions } from './options.ts';

/** What a request has besides its path. With `json` or `form` it is a POST. */
interface Sent {
	readonly json?: object;
	readonly form?: FormData;
	/** The first byte that is wanted. */
	readonly from?: number;
	readonly signal?: AbortSignal | undefined;
}

/** A ComfyUI. Requests reject with `E_MODEL_UNAVAILABLE`, `_TIMEOUT` or `_FAILED`, or with the signal's reason. */
export class Server {
	/** Without a slash at the end. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly clock: Clock;
	/** Maximum milliseconds without a response. */
	readonly timeoutMs: number;
	readonly agent: Agent;
	/** The requests that queue prompts, by id, so that a cancellation can wait for them. */
	readonly sending = new Map<string, Promise<unknown>>();

	constructor(url: string, { headers, timeoutSeconds }: CommonOptions, clock: Clock) {
		this.url = url;
		this.headers = headers;
		this.clock = clock;
		this.timeoutMs = timeoutSeconds * 1_000;
		const timeouts = { headersTimeout: this.timeoutMs, bodyTimeout: this.timeoutMs, keepAliveTimeout: 30_000 };
		this.agent = new Agent({ ...timeouts, webSocket: { maxPayloadSize: 16_777_216 } });
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

	/** The status of a response without content. */
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
