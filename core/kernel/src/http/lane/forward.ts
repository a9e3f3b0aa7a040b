import { Reply } from '../../contract/http/reply.ts';
import type {
	ForwardController,
	ForwardHandler,
	ForwardRequest,
} from '../../contract/ports/forward.ts';
import { atEndOfTick } from '../at-end-of-tick.ts';
import type { Exchange } from '../exchange.ts';
import { RelayedResponse } from './relayed-response.ts';

/**
 * Sends a request to an upstream and passes its answer on to the client, at the client's pace. Resolves when the head is written; from then on whatever goes
 * wrong breaks the connection off, so that nobody takes a part for the whole. Rejects, with nothing written, with one of the request's own errors, with
 * `E_TENANT_BUSY` or `E_OVERLOADED` where there is no room for one more event stream, and with the reason of the exchange when that is aborted.
 * `over` is called once, when the upstream has nothing more to do. `signal` gives up on an answer that has not begun: rejects with its reason then.
 */
export function forward(
	exchange: Exchange,
	request: ForwardRequest,
	over: () => void = () => {},
	signal?: AbortSignal,
): Promise<Reply> {
	return new Promise((resolve, reject) => {
		new Forwarding(exchange, request, { resolve, reject, over, signal }).start();
	});
}

/** Of an answer that is no success, more than this is not read, in bytes. */
export const refusalBytes = 65_536;

type UpstreamHeaders = Parameters<ForwardHandler['onResponseStart']>[2];

/** Who waits for what becomes of a request. */
interface Waiting {
	resolve(reply: Reply): void;
	reject(reason: unknown): void;
	over(): void;
	/** Tells that nobody does any more, until the answer has begun. */
	readonly signal: AbortSignal | undefined;
}

/** An answer that is no success. */
interface Refusal {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly chunks: Buffer[];
	/** How many bytes more are wanted of its body. */
	room: number;
}

/** One request under way. A dispatcher may call in any order, also behind the end: what comes too late changes nothing. */
class Forwarding implements ForwardHandler {
	readonly #exchange: Exchange;
	readonly #request: ForwardRequest;
	readonly #waiting: Waiting;
	#controller: ForwardController | undefined;
	#refusal: Refusal | undefined;
	#answer: RelayedResponse | undefined;
	/** Says that the answer is sent, or will not be. */
	#done: () => void = () => {};
	#isOver = false;
	/** Why the upstream should not go on. */
	#reason: Error | undefined;
	#disarm: () => void = () => {};
	#unlisten: () => void = () => {};

	constructor(exchange: Exchange, request: ForwardRequest, waiting: Waiting) {
		this.#exchange = exchange;
		this.#request = request;
		this.#waiting = waiting;
	}

	start(): void {
		const exchange = this.#exchange;
		const { signal } = this.#waiting;
		if (exchange.aborted || signal?.aborted) {
			if (exchange.aborted) this.#stop();
			else this.#giveUp();
			return;
		}
		signal?.addEventListener('abort', this.#giveUp);
		this.#unlisten = exchange.onAbort(() => this.#stop());
		this.#disarm = exchange.clock.after(this.#request.quietMs, () => this.#silence());
		atEndOfTick(() => this.#dispatch());
	}

	#dispatch(): void {
		if (this.#isOver) return;
		const { dispatcher, origin, path, headers, body } = this.#request;
		try {
			dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, this);
		} catch (error) {
			this.onResponseError(undefined, error as Error);
		}
	}

	onRequestStart(controller: ForwardController): void {
		this.#controller = controller;
		if (this.#reason) controller.abort(this.#reason);
	}

	onResponseStart(controller: ForwardController, status: number, headers: UpstreamHeaders): void {
		// Codes below 200 only announce the answer (RFC 9110, §15.2).
		if (this.#isOver || this.#answer || this.#refusal || status < 200) return;
		this.#controller = controller;
		if (status < 300) this.#begin(controller, status, headers);
		else {
			const told = Object.entries(headers).map(([name, value]) => [name, first(value)]);
			this.#refusal = {
				status,
				headers: Object.fromEntries(told),
				chunks: [],
				room: refusalBytes,
			};
		}
	}

	onResponseData(_: ForwardController, chunk: Buffer): void {
		if (this.#isOver) return;
		if (this.#answer?.write(chunk)) this.#complete();
		const refusal = this.#refusal;
		if (!refusal) return;
		refusal.chunks.push(Buffer.from(chunk.subarray(0, refusal.room)));
		refusal.room -= Math.min(refusal.room, chunk.length);
		if (refusal.room === 0) this.#refuse(refusal);
	}

	onResponseEnd(): void {
		if (this.#isOver) return;
		if (this.#refusal) this.#refuse(this.#refusal);
		else if (!this.#answer) this.onResponseError(undefined, new Error('The answer has no head.'));
		else if (this.#answer.end()) this.#complete();
	}

	onResponseError(_: ForwardController | undefined, error: Error): void {
		if (this.#isOver) return;
		if (this.#answer) this.#cut(error);
		else if (this.#refusal) this.#refuse(this.#refusal);
		else this.#fail(() => this.#request.lost(error));
	}

	#complete(): void {
		this.#end();
		this.#done();
	}

	#begin(controller: ForwardController, status: number, headers: UpstreamHeaders): void {
		const request = this.#request;
		const contentType = first(headers['content-type']);
		const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
		const encoding = all(headers['content-encoding']).trim().toLowerCase() || 'identity';
		try {
			// The other codes of success say that there is no content, or a part of it (RFC 9110, §15.3).
			const told = first(headers['content-length']);
			const length = /^\d{1,15}$/.test(told) ? Number(told) : undefined;
			if (status > 203 || encoding !== 'identity' || !request.accepts(mediaType, length)) {
				throw request.unfit(mediaType);
			}
			const head = {
				status,
				contentType,
				isStream: mediaType === 'text/event-stream',
				length,
			};
			const broken = (reason: Error) => this.#cut(reason);
			const { quietMs, dispatcher } = request;
			const { givesMemory = false } = dispatcher;
			const source = { controller, quietMs, givesMemory, broken };
			const answer = new RelayedResponse(this.#exchange, head, source);
			answer.begin();
			this.#forgetSilence();
			this.#answer = answer;
		} catch (error) {
			this.#fail(() => error as Error);
			return;
		}
		const done = new Promise<void>((resolve) => {
			this.#done = resolve;
		});
		this.#waiting.resolve(Reply.forward(done));
	}

	#refuse({ status, headers, chunks }: Refusal): void {
		this.#fail(() => this.#request.refused(status, headers, Buffer.concat(chunks)));
	}

	/** Also of an answer that is no success: then what has come of it is enough. */
	#silence(): void {
		if (this.#refusal) this.#refuse(this.#refusal);
		else this.#fail(() => this.#request.silent());
	}

	readonly #giveUp = () => this.#fail(() => this.#waiting.signal?.reason);

	/** What ends a wait for the head is of no concern behind it. */
	#forgetSilence(): void {
		this.#disarm();
		this.#waiting.signal?.removeEventListener('abort', this.#giveUp);
	}

	/** The exchange is aborted: the client has left, mostly. */
	#stop(): void {
		if (this.#isOver) return;
		const { reason, left } = this.#exchange;
		this.#end(reason as Error);
		if (this.#answer && !left) this.#exchange.cut();
		this.#waiting.reject(reason);
		this.#done();
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
		this.#waiting.reject(reason);
	}

	/** Something has been sent to the client, and the rest will not come. */
	#cut(err: Error): void {
		const { route, model, log } = this.#exchange;
		this.#end(err);
		log.warn({ err, route, model }, 'the upstream did not finish its answer');
		this.#exchange.cut();
		this.#done();
	}

	/** With a reason the upstream is told that what it still has to say is not wanted. */
	#end(reason?: Error): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#reason = reason;
		this.#forgetSilence();
		this.#unlisten();
		this.#answer?.stop();
		if (reason) this.#controller?.abort(reason);
		try {
			this.#waiting.over();
		} catch (err) {
			this.#exchange.log.error({ err }, 'whoever asked for a request could not be told its end');
		}
	}
}

function first(value: string | string[] | undefined): string {
	return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

/** Several lines are one list (RFC 9110, §5.3). */
function all(value: string | string[] | undefined): string {
	return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}
