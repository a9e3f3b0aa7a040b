import { Reply } from '../../contract/http/reply.ts';
import type { ForwardController, ForwardHandler, ForwardRequest } from '../../contract/ports/forward.ts';
import { atEndOfTick, type Exchange } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import { RelayedResponse } from './relayed-response.ts';

/**
 * Sends a request to an upstream and its response to the client, at the client's pace. Resolves when the response has
 * started; a later failure closes the connection. Rejects, with nothing written, with an error of the request, with
 * `E_TENANT_BUSY` or `E_OVERLOADED` without room for an event stream, and with the reason of an aborted exchange or of
 * `signal`, which counts until the response starts. `onEnd` is called once, when the upstream request has ended.
 */
export function forward(
	exchange: Exchange,
	request: ForwardRequest,
	onEnd: () => void = () => {},
	signal?: AbortSignal,
): Promise<Reply> {
	const reply = Promise.withResolvers<Reply>();
	new Forwarding({ exchange, request, onEnd, signal, reply }).start();
	return reply.promise;
}

/** The bytes that are read of a response that is not a success. */
export const refusalBytes = 65_536;

interface ForwardingOptions {
	readonly exchange: Exchange;
	readonly request: ForwardRequest;
	readonly signal: AbortSignal | undefined;
	onEnd(): void;
	readonly reply: PromiseWithResolvers<Reply>;
}

type UpstreamHeaders = Parameters<ForwardHandler['onResponseStart']>[2];

/** A response that is not a success, and the part of its body that has arrived. */
interface Refusal {
	readonly status: number;
	readonly headers: UpstreamHeaders;
	readonly chunks: Buffer[];
	bytes: number;
}

/** One request in progress. A dispatcher may call in any order: a call after the end has no effect. */
class Forwarding implements ForwardHandler {
	readonly #options: ForwardingOptions;
	#controller: ForwardController | undefined;
	#refusal: Refusal | undefined;
	#response: RelayedResponse | undefined;
	#hasEnded = false;
	#reason: Error | undefined;
	#hasReceived = false;
	#wasPaused = false;
	/** Milliseconds without progress. */
	#idleMs = 0;
	#cancelTimer: () => void = () => {};
	#removeAbortListener: () => void = () => {};
	/** Called when nothing more will be written to the client. */
	#done: () => void = () => {};

	constructor(options: ForwardingOptions) {
		this.#options = options;
	}

	start(): void {
		const { exchange, signal } = this.#options;
		if (exchange.aborted) this.#abortByExchange();
		else if (signal?.aborted) this.#abortBySignal();
		else {
			signal?.addEventListener('abort', this.#abortBySignal);
			this.#removeAbortListener = exchange.onAbort(() => this.#abortByExchange());
			this.#watch();
			atEndOfTick(this.#dispatch);
		}
	}

	readonly #dispatch = () => {
		const { dispatcher, origin, path, headers, body } = this.#options.request;
		try {
			if (!this.#hasEnded) dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, this);
		} catch (error) {
			this.onResponseError(undefined, error as Error);
		}
	};

	onRequestStart(controller: ForwardController): void {
		this.#controller = controller;
		if (this.#reason) controller.abort(this.#reason);
	}

	onResponseStart(controller: ForwardController, status: number, headers: UpstreamHeaders): void {
		// Codes below 200 only announce the response (RFC 9110, §15.2).
		if (this.#hasEnded || this.#response || this.#refusal || status < 200) return;
		this.#controller = controller;
		this.#hasReceived = true;
		if (status >= 300) this.#refusal = { status, headers, chunks: [], bytes: 0 };
		else this.#startResponse(controller, status, headers);
	}

	onResponseData(_: ForwardController, chunk: Buffer): void {
		if (this.#hasEnded) return;
		this.#hasReceived = true;
		if (this.#response?.write(chunk)) this.#end();
		const refusal = this.#refusal;
		if (!refusal) return;
		refusal.chunks.push(chunk);
		refusal.bytes += chunk.length;
		if (refusal.bytes >= refusalBytes) this.#reportRefusal(refusal);
	}

	onResponseEnd(): void {
		if (this.#hasEnded) return;
		if (!this.#response) this.onResponseError(undefined, new Error('The response has no head.'));
		else if (this.#response.end()) this.#end();
	}

	onResponseError(_: ForwardController | undefined, error: Error): void {
		this.#handleLoss(error, () => this.#options.request.lost(error));
	}

	#startResponse(controller: ForwardController, status: number, headers: UpstreamHeaders): void {
		const { exchange, request, signal } = this.#options;
		const contentType = String(headers['content-type'] ?? '');
		const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
		const encoding = String(headers['content-encoding'] || 'identity').trim();
		const stated = String(headers['content-length'] ?? '');
		const length = /^\d{1,15}$/.test(stated) ? Number(stated) : undefined;
		const isStream = mediaType === 'text/event-stream';
		const onBroken = (reason: Error) => this.#cut(reason);
		try {
			// The other codes of success say that there is no content, or a part of it (RFC 9110, §15.3).
			const isAcceptable = status <= 203 && /^identity$/i.test(encoding) && request.accepts(mediaType, length);
			if (!isAcceptable) throw request.unfit(mediaType);
			const response = { request, controller, status, contentType, isStream, length, onBroken };
			this.#response = new RelayedResponse(exchange, response);
		} catch (error) {
			this.#fail(() => error as Error);
			return;
		}
		signal?.removeEventListener('abort', this.#abortBySignal);
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#done = resolve;
		this.#options.reply.resolve(Reply.forward(status, promise));
	}

	/** Detects silence of either side, up to a second late. Pieces that arrive in time need no timer of their own. */
	#watch(): void {
		const { exchange, request } = this.#options;
		const ms = Math.min(1_000, request.quietMs);
		this.#cancelTimer = exchange.clock.after(ms, () => {
			this.#watch();
			const isPaused = this.#response?.isPaused ?? false;
			this.#idleMs = this.#hasReceived || isPaused !== this.#wasPaused ? 0 : this.#idleMs + ms;
			[this.#hasReceived, this.#wasPaused] = [false, isPaused];
			if (isPaused && this.#idleMs >= httpLimits.stallMs) exchange.res.destroy();
			else if (!isPaused && this.#idleMs >= request.quietMs) {
				this.#handleLoss(new Error('The upstream was silent for too long.'), () => request.silent());
			} else if (this.#idleMs > 0 && this.#idleMs % httpLimits.heartbeatMs === 0) {
				this.#response?.sendHeartbeat();
			}
		});
	}

	/** Ends a response of which nothing more will arrive. A part of the body of a refusal is enough. */
	#handleLoss(error: Error, failure: () => Error): void {
		if (this.#hasEnded) return;
		if (this.#response) this.#cut(error);
		else if (this.#refusal) this.#reportRefusal(this.#refusal);
		else this.#fail(failure);
	}

	#reportRefusal({ status, headers, chunks }: Refusal): void {
		const body = Buffer.concat(chunks).subarray(0, refusalBytes);
		const list = Object.entries(headers).map(([name, value]) => [name, `${value ?? ''}`]);
		this.#fail(() => this.#options.request.refused(status, Object.fromEntries(list), body));
	}

	readonly #abortBySignal = () => this.#fail(() => this.#options.signal?.reason);

	#abortByExchange(): void {
		const { exchange } = this.#options;
		this.#fail(() => exchange.reason as Error);
		if (this.#response && !exchange.hasDisconnected) exchange.cut();
	}

	/** Ends before anything has been sent to the client, which gets an error response. */
	#fail(error: () => Error): void {
		if (this.#hasEnded) return;
		let reason: unknown;
		try {
			reason = error();
		} catch (thrown) {
			reason = thrown;
		}
		this.#end(reason as Error);
		this.#options.reply.reject(reason);
	}

	/** Ends after a part has been sent to the client: the rest will not arrive. */
	#cut(err: Error): void {
		const { exchange } = this.#options;
		this.#end(err);
		exchange.log.warn({ err, route: exchange.route, model: exchange.model }, 'the upstream did not finish its answer');
		exchange.cut();
	}

	#end(reason?: Error): void {
		if (this.#hasEnded) return;
		this.#hasEnded = true;
		this.#reason = reason;
		this.#cancelTimer();
		this.#removeAbortListener();
		this.#options.signal?.removeEventListener('abort', this.#abortBySignal);
		if (this.#response) this.#response.hasEnded = true;
		if (reason) this.#controller?.abort(reason);
		this.#options.onEnd();
		this.#done();
	}
}
