import { Reply } from '../../contract/http/reply.ts';
import type { ForwardController, ForwardHandler, ForwardRequest } from '../../contract/ports/forward.ts';
import { atEndOfTick } from '../at-end-of-tick.ts';
import type { Exchange } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import { RelayedResponse } from './relayed-response.ts';

/**
 * Sends a request to an upstream and its response to the client, at the client's pace. Resolves when the head is
 * written; a failure after that closes the connection, so that nobody takes a part for the whole. Rejects, with nothing
 * written, with one of the request's own errors, with `E_TENANT_BUSY` or `E_OVERLOADED` when there is no room for one
 * more event stream, and with the exchange's reason when that is aborted. `over` is called once, when the upstream has
 * nothing more to do. `signal` gives up on a response that has not begun: rejects with its reason then.
 */
export function forward(
	exchange: Exchange,
	request: ForwardRequest,
	over: () => void = () => {},
	signal?: AbortSignal,
): Promise<Reply> {
	return new Promise((resolve, reject) => {
		new Forwarding({ exchange, request, over, signal, resolve, reject }).start();
	});
}

/** Bytes of a response that are read when it is no success. */
export const refusalBytes = 65_536;

interface ForwardingOptions {
	readonly exchange: Exchange;
	readonly request: ForwardRequest;
	readonly signal: AbortSignal | undefined;
	over(): void;
	resolve(reply: Reply): void;
	reject(reason: unknown): void;
}

type UpstreamHeaders = Parameters<ForwardHandler['onResponseStart']>[2];

/** A response that is no success, and what has come of its body. */
interface Refusal {
	readonly status: number;
	readonly headers: UpstreamHeaders;
	readonly chunks: Buffer[];
	bytes: number;
}

/** One request under way. A dispatcher may call in any order: a call after the end changes nothing. */
class Forwarding implements ForwardHandler {
	readonly #options: ForwardingOptions;
	#controller: ForwardController | undefined;
	#refusal: Refusal | undefined;
	#response: RelayedResponse | undefined;
	#isOver = false;
	#reason: Error | undefined;
	#isHeard = false;
	#wasFull = false;
	/** Milliseconds for which nothing has moved. */
	#idleMs = 0;
	#cancelTimer: () => void = () => {};
	#unlisten: () => void = () => {};
	/** Called when nothing more will be written. */
	#done: () => void = () => {};

	constructor(options: ForwardingOptions) {
		this.#options = options;
	}

	start(): void {
		const { exchange, signal } = this.#options;
		if (exchange.aborted) this.#stop();
		else if (signal?.aborted) this.#giveUp();
		else {
			signal?.addEventListener('abort', this.#giveUp);
			this.#unlisten = exchange.onAbort(() => this.#stop());
			this.#watch();
			atEndOfTick(this.#dispatch);
		}
	}

	readonly #dispatch = () => {
		const { dispatcher, origin, path, headers, body } = this.#options.request;
		try {
			if (!this.#isOver) dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, this);
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
		if (this.#isOver || this.#response || this.#refusal || status < 200) return;
		this.#controller = controller;
		this.#isHeard = true;
		if (status >= 300) this.#refusal = { status, headers, chunks: [], bytes: 0 };
		else this.#begin(controller, status, headers);
	}

	onResponseData(_: ForwardController, chunk: Buffer): void {
		if (this.#isOver) return;
		this.#isHeard = true;
		if (this.#response?.write(chunk)) this.#end();
		const refusal = this.#refusal;
		if (!refusal) return;
		refusal.chunks.push(chunk);
		refusal.bytes += chunk.length;
		if (refusal.bytes >= refusalBytes) this.#refuse(refusal);
	}

	onResponseEnd(): void {
		if (this.#isOver) return;
		if (!this.#response) this.onResponseError(undefined, new Error('The response has no head.'));
		else if (this.#response.end()) this.#end();
	}

	onResponseError(_: ForwardController | undefined, error: Error): void {
		this.#lose(error, () => this.#options.request.lost(error));
	}

	#begin(controller: ForwardController, status: number, headers: UpstreamHeaders): void {
		const { exchange, request, signal } = this.#options;
		const contentType = String(headers['content-type'] ?? '');
		const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
		const encoding = String(headers['content-encoding'] || 'identity').trim();
		const stated = String(headers['content-length'] ?? '');
		const length = /^\d{1,15}$/.test(stated) ? Number(stated) : undefined;
		const isStream = mediaType === 'text/event-stream';
		const broken = (reason: Error) => this.#cut(reason);
		try {
			// The other codes of success say that there is no content, or a part of it (RFC 9110, §15.3).
			const isFit = status <= 203 && /^identity$/i.test(encoding) && request.accepts(mediaType, length);
			if (!isFit) throw request.unfit(mediaType);
			const response = { request, controller, status, contentType, isStream, length, broken };
			this.#response = new RelayedResponse(exchange, response);
		} catch (error) {
			this.#fail(() => error as Error);
			return;
		}
		signal?.removeEventListener('abort', this.#giveUp);
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#done = resolve;
		this.#options.resolve(Reply.forward(status, promise));
	}

	/** Notices the silence of either side, up to a second late. Pieces that come in time cost no timer. */
	#watch(): void {
		const { exchange, request } = this.#options;
		const ms = Math.min(1_000, request.quietMs);
		this.#cancelTimer = exchange.clock.after(ms, () => {
			this.#watch();
			const isFull = this.#response?.isFull ?? false;
			this.#idleMs = this.#isHeard || isFull !== this.#wasFull ? 0 : this.#idleMs + ms;
			[this.#isHeard, this.#wasFull] = [false, isFull];
			if (isFull && this.#idleMs >= httpLimits.stallMs) exchange.res.destroy();
			else if (!isFull && this.#idleMs >= request.quietMs) {
				this.#lose(new Error('The upstream was silent for too long.'), () => request.silent());
			} else if (this.#idleMs > 0 && this.#idleMs % httpLimits.heartbeatMs === 0) {
				this.#response?.beat();
			}
		});
	}

	/** Nothing more will come. What has come of a refusal is enough. */
	#lose(error: Error, failure: () => Error): void {
		if (this.#isOver) return;
		if (this.#response) this.#cut(error);
		else if (this.#refusal) this.#refuse(this.#refusal);
		else this.#fail(failure);
	}

	#refuse({ status, headers, chunks }: Refusal): void {
		const body = Buffer.concat(chunks).subarray(0, refusalBytes);
		const list = Object.entries(headers).map(([name, value]) => [name, `${value ?? ''}`]);
		this.#fail(() => this.#options.request.refused(status, Object.fromEntries(list), body));
	}

	readonly #giveUp = () => this.#fail(() => this.#options.signal?.reason);

	/** The exchange is aborted: most often the client has left. */
	#stop(): void {
		const { exchange } = this.#options;
		this.#fail(() => exchange.reason as Error);
		if (this.#response && !exchange.left) exchange.cut();
	}

	/** Nothing has been sent to the client yet: it will read an error. */
	#fail(error: () => Error): void {
		if (this.#isOver) return;
		let reason: unknown;
		try {
			reason = error();
		} catch (thrown) {
			reason = thrown;
		}
		this.#end(reason as Error);
		this.#options.reject(reason);
	}

	/** A part has been sent to the client, and the rest will not come. */
	#cut(err: Error): void {
		const { exchange } = this.#options;
		this.#end(err);
		exchange.log.warn({ err, route: exchange.route, model: exchange.model }, 'the upstream did not finish its answer');
		exchange.cut();
	}

	/** With a reason the upstream is told to stop. */
	#end(reason?: Error): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#reason = reason;
		this.#cancelTimer();
		this.#unlisten();
		this.#options.signal?.removeEventListener('abort', this.#giveUp);
		if (this.#response) this.#response.isOver = true;
		if (reason) this.#controller?.abort(reason);
		this.#options.over();
		this.#done();
	}
}
