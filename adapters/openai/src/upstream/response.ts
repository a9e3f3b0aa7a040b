import type { Readable } from 'node:stream';
import type { Clock } from '@plinth/core';
import { isPlinthError } from '@plinth/core';
import { invalidResponse, timeoutError } from './failure.ts';
import type { Scrub } from './scrub.ts';

/** Dependencies of reading a response. */
export interface ReadingOptions {
	/** Host and path of the server, for the log. */
	readonly where: string;
	readonly clock: Clock;
	readonly quietMs: number;
	/** Aborts the reading, which then rejects with the signal's reason. */
	readonly signal: AbortSignal;
	readonly scrub: Scrub;
}

/** A successful response with an unread body. The caller reads the body, or calls `discard`. */
export class UpstreamResponse {
	readonly status: number;
	/** Names in lower case; the first value of a repeated header. */
	readonly headers: Readonly<Record<string, string>>;
	/** Without parameters, in lower case; empty when there is none. */
	readonly mediaType: string;
	readonly #body: Readable;
	readonly #options: ReadingOptions;

	constructor(status: number, headers: Readonly<Record<string, string>>, body: Readable, options: ReadingOptions) {
		this.status = status;
		this.headers = headers;
		this.mediaType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
		this.#body = body;
		this.#options = options;
		// Without a listener, an error of an unread body would end the process.
		body.on('error', () => {});
	}

	/** Host and path of the server, for the log. */
	get where(): string {
		return this.#options.where;
	}

	/** Removes secrets from texts of the server. */
	get scrub(): Scrub {
		return this.#options.scrub;
	}

	/** Drops the rest of the body and closes its connection. */
	discard(): void {
		this.#body.destroy();
	}

	/**
	 * The chunks of the body, up to `maxBytes`. Throws `E_MODEL_FAILED` when the connection is lost or the body is
	 * longer, `E_MODEL_TIMEOUT` when no chunk arrives in time, and the signal's reason.
	 */
	async *chunks(maxBytes: number): AsyncGenerator<Buffer> {
		const { where, clock, quietMs, signal } = this.#options;
		const startTimer = () => clock.after(quietMs, () => this.#body.destroy(timeoutError(where)));
		let cancelTimer = startTimer();
		let length = 0;
		try {
			signal.throwIfAborted();
			for await (const chunk of this.#body as AsyncIterable<Buffer>) {
				// The timer excludes the time that the reader needs.
				cancelTimer();
				length += chunk.length;
				if (length > maxBytes) throw invalidResponse(where, `sent more than ${maxBytes} bytes`);
				yield chunk;
				cancelTimer = startTimer();
				signal.throwIfAborted();
			}
		} catch (error) {
			if (signal.aborted) throw signal.reason;
			throw isPlinthError(error) ? error : invalidResponse(where, 'interrupted its response', error);
		} finally {
			cancelTimer();
			this.#body.destroy();
		}
	}

	/** The whole body. */
	async bytes(maxBytes: number): Promise<Buffer> {
		const chunks: Buffer[] = [];
		for await (const chunk of this.chunks(maxBytes)) chunks.push(chunk);
		return Buffer.concat(chunks);
	}

	/** The whole body as JSON. Throws `E_MODEL_FAILED` for a body that is not JSON. */
	async json(maxBytes: number): Promise<unknown> {
		const bytes = await this.bytes(maxBytes);
		try {
			return JSON.parse(bytes.toString());
		} catch (error) {
			throw invalidResponse(this.where, 'sent no JSON', error);
		}
	}
}
