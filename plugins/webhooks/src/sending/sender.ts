import { type Clock, version } from '@plinth/core';
import type { Egress } from '@plinth/toolkit';
import type { Attempt } from '../deliveries/record.ts';
import { bodyOf, type WebhookEvent } from '../event.ts';
import { signatures } from '../secrets.ts';
import { failureOf, failureOfStatus } from './failure.ts';
import { retryAfterMs } from './schedule.ts';

/** How long a receiver may take for its answer, in milliseconds. */
export const answerMs = 15_000;
/** How much of an answer is read, in bytes. */
const answerBytes = 65_536;

/** One request to a receiver. */
export interface Message {
	readonly url: string;
	readonly event: WebhookEvent;
	/** All of them sign; without any the request is not signed. */
	readonly secrets: readonly string[];
}

/** How a request went. */
export interface Sent {
	readonly attempt: Attempt;
	/** How long the receiver asked to wait, in milliseconds; 0: it did not. */
	readonly retryAfterMs: number;
}

/**
 * Sends events, each as one request: signed as Standard Webhooks says, with the time of this attempt and the id of the
 * event.
 */
export class Sender {
	readonly #egress: Egress;
	readonly #clock: Clock;

	constructor(egress: Egress, clock: Clock) {
		this.#egress = egress;
		this.#clock = clock;
	}

	/**
	 * Sends a message. A receiver that fails is an attempt with a failure; rejects only when `signal` aborts, with its
	 * reason.
	 */
	async send({ url, event, secrets }: Message, signal: AbortSignal): Promise<Sent> {
		signal.throwIfAborted();
		const at = this.#clock.now();
		const body = bodyOf(event);
		const { answered, end } = this.#limit();
		try {
			const { status, headers } = await this.#egress.send({
				url,
				method: 'POST',
				headers: this.#headers(event.id, at, body, secrets),
				body,
				timeoutMs: answerMs,
				maxBytes: answerBytes,
				signal: AbortSignal.any([signal, answered]),
			});
			const wait = retryAfterMs(headers['retry-after'], this.#clock.now());
			return { attempt: this.#attempt(at, status, failureOfStatus(status)), retryAfterMs: wait };
		} catch (error) {
			signal.throwIfAborted();
			const isLate = answered.aborted || (error as Error).name === 'TimeoutError';
			const failure = isLate ? `no answer came within ${answerMs / 1000} seconds` : failureOf(error);
			return { attempt: this.#attempt(at, null, failure), retryAfterMs: 0 };
		} finally {
			end();
		}
	}

	#attempt(at: number, statusCode: number | null, failure: string | null): Attempt {
		const durationMs = Math.max(0, this.#clock.now() - at);
		return { at, statusCode, failure, durationMs };
	}

	#headers(id: string, at: number, body: string, secrets: readonly string[]) {
		return {
			'content-type': 'application/json',
			'user-agent': `Plinth-Webhooks/${version}`,
			'webhook-id': id,
			'webhook-timestamp': `${Math.floor(at / 1000)}`,
			...(secrets.length > 0 ? { 'webhook-signature': signatures(secrets, { id, at, body }) } : {}),
		};
	}

	/** The time for an answer, by the clock that tests can move. */
	#limit(): { readonly answered: AbortSignal; readonly end: () => void } {
		const late = new AbortController();
		return { answered: late.signal, end: this.#clock.after(answerMs, () => late.abort()) };
	}
}
