import type { Readable } from 'node:stream';
import type { Clock } from '@plinth/core';
import { isPlinthError } from '@plinth/core';
import { brokenAnswer, silenceFailure } from './failure.ts';
import type { Scrub } from './scrub.ts';

/** What an answer is read with. */
export interface ReadingOptions {
	/** Who answers, for the log. */
	readonly where: string;
	readonly clock: Clock;
	readonly quietMs: number;
	/** Aborts the reading; what is read then rejects with its reason. */
	readonly signal: AbortSignal;
	readonly scrub: Scrub;
}

/** A successful answer whose body has not been read. Whoever gets it reads it, or calls `discard`. */
export class UpstreamAnswer {
	readonly status: number;
	/** Names in lower case; of one that comes several times, the first. */
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
		// Without a listener, a body that breaks off unread would end the process.
		body.on('error', () => {});
	}

	/** Who answered, for the log. */
	get where(): string {
		return this.#options.where;
	}

	/** Removes the secrets from its texts. */
	get scrub(): Scrub {
		return this.#options.scrub;
	}

	/** Drops the rest of the body and closes its connection. */
	discard(): void {
		this.#body.destroy();
	}

	/**
	 * The body as it comes, up to `maxBytes`. Throws `E_MODEL_FAILED` when it breaks off or is longer,
	 * `E_MODEL_TIMEOUT` when nothing comes, and the reason of the signal.
	 */
	async *chunks(maxBytes: number): AsyncGenerator<Buffer> {
		const { where, clock, quietMs, signal } = this.#options;
		const awaitChunk = () => clock.after(quietMs, () => this.#body.destroy(silenceFailure(where)));
		let cancelTimer = awaitChunk();
		let length = 0;
		try {
			signal.throwIfAborted();
			for await (const chunk of this.#body as AsyncIterable<Buffer>) {
				// Who reads a chunk may take their time.
				cancelTimer();
				length += chunk.length;
				if (length > maxBytes) throw brokenAnswer(where, `sent more than ${maxBytes} bytes`);
				yield chunk;
				cancelTimer = awaitChunk();
				signal.throwIfAborted();
			}
		} catch (error) {
			if (signal.aborted) throw signal.reason;
			throw isPlinthError(error) ? error : brokenAnswer(where, 'broke off its answer', error);
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

	/** The whole body as JSON. Throws `E_MODEL_FAILED` for what is none. */
	async json(maxBytes: number): Promise<unknown> {
		const bytes = await this.bytes(maxBytes);
		try {
			return JSON.parse(bytes.toString());
		} catch (error) {
			throw brokenAnswer(this.where, 'sent no JSON', error);
		}
	}
}
