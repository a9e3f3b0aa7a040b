import { type Clock, version } from '@plinth/core';
import { type Egress, ForbiddenTarget } from '@plinth/toolkit';
import type { Attempt } from './deliveries.ts';
import { bodyOf, type WebhookEvent } from './event.ts';
import { signatures } from './secrets.ts';

/** Maximum milliseconds until a receiver responds. */
export const answerMs = 15_000;
/** Maximum bytes of a response that are read. */
const answerBytes = 65_536;

/** One request to a receiver. */
export interface Message {
	readonly url: string;
	readonly event: WebhookEvent;
	/** Each adds a signature; without secrets, the request is not signed. */
	readonly secrets: readonly string[];
}

/** The result of a request. */
export interface Sent {
	readonly attempt: Attempt;
	/** The wait that the receiver requested, in milliseconds; 0: none. */
	readonly retryAfterMs: number;
}

/** Sends a signed event. A failure of the receiver is in the attempt; rejects only when `signal` aborts. */
export async function sendEvent(
	egress: Egress,
	clock: Clock,
	{ url, event, secrets }: Message,
	signal: AbortSignal,
): Promise<Sent> {
	signal.throwIfAborted();
	const at = clock.now();
	const body = bodyOf(event);
	const attempt = (statusCode: number | null, failure: string | null): Attempt => {
		return { at, statusCode, failure, durationMs: Math.max(0, clock.now() - at) };
	};
	// A timeout on the injected clock, which tests control.
	const timeout = new AbortController();
	const cancelTimer = clock.after(answerMs, () => timeout.abort());
	try {
		const { status, headers } = await egress.send({
			url,
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'user-agent': `Plinth-Webhooks/${version}`,
				'webhook-id': event.id,
				'webhook-timestamp': `${Math.floor(at / 1000)}`,
				...(secrets.length > 0 ? { 'webhook-signature': await signatures(secrets, { id: event.id, at, body }) } : {}),
			},
			body,
			timeoutMs: answerMs,
			maxBytes: answerBytes,
			signal: AbortSignal.any([signal, timeout.signal]),
		});
		const wait = retryAfterMs(headers['retry-after'], clock.now());
		return { attempt: attempt(status, failureOfStatus(status)), retryAfterMs: wait };
	} catch (error) {
		signal.throwIfAborted();
		const isTimeout = timeout.signal.aborted || (error as Error).name === 'TimeoutError';
		const failure = isTimeout ? `no answer came within ${answerMs / 1000} seconds` : failureOf(error);
		return { attempt: attempt(null, failure), retryAfterMs: 0 };
	} finally {
		cancelTimer();
	}
}

/** The longest wait that a receiver may request, in milliseconds. */
export const longestRetryAfterMs = 24 * 60 * 60 * 1000;

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds of a `Retry-After` (RFC 9110 §10.2.3: seconds or a date), 24 hours at most; 0 for anything else. */
export function retryAfterMs(header: string | undefined, now: number): number {
	const text = header?.trim() ?? '';
	const ms = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : untilDate(text, now);
	return Math.min(ms, longestRetryAfterMs);
}

function untilDate(text: string, now: number): number {
	if (!httpDate.test(text)) return 0;
	const date = Date.parse(text);
	return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}

const sentences: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'the connection was refused',
	ECONNRESET: 'the connection was closed before an answer came',
	EPIPE: 'the connection was closed before an answer came',
	UND_ERR_SOCKET: 'the connection was closed before an answer came',
	EHOSTUNREACH: 'the host cannot be reached',
	ENETUNREACH: 'the host cannot be reached',
	ETIMEDOUT: 'no connection could be made in time',
	UND_ERR_CONNECT_TIMEOUT: 'no connection could be made in time',
};

const unresolved = 'the host name cannot be resolved';

const tlsFailed = 'no secure connection could be made: the certificate or TLS was refused';

const tlsCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

/** Why there was no response, for the tenant. Never the text of an unknown error: it may contain addresses. */
export function failureOf(error: unknown): string {
	if (error instanceof ForbiddenTarget) return error.message;
	const { code, name, syscall } = Object(error) as Readonly<Record<string, unknown>>;
	if (name === 'HTTPParserError') return 'the answer was not HTTP';
	// A lookup: its codes are those of connections too, such as ECONNREFUSED of a name server.
	if (typeof syscall === 'string' && /^(?:getaddrinfo|query)/.test(syscall)) return unresolved;
	if (typeof code !== 'string') return 'the connection failed';
	if (tlsCodes.test(code)) return tlsFailed;
	return (Object.hasOwn(sentences, code) && sentences[code]) || 'the connection failed';
}

/** Why a response is no success; null when it is one. */
export function failureOfStatus(status: number): string | null {
	if (status >= 200 && status < 300) return null;
	if (status >= 300 && status < 400) {
		return `the receiver answered ${status}, and redirects are not followed`;
	}
	return `the receiver answered ${status}`;
}
