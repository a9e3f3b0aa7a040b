import type { ServerResponse } from 'node:http';
import type { ForwardController, ForwardRequest } from '../../contract/ports/forward.ts';
import { isUnwrapped, writeHead } from '../answers/send.ts';
import { atEndOfTick, type Exchange } from '../exchange.ts';
import { freeChunk } from '../free-chunk.ts';

export interface UpstreamResponse {
	readonly request: ForwardRequest;
	readonly controller: ForwardController;
	readonly status: number;
	readonly contentType: string;
	readonly isStream: boolean;
	/** Bytes of the body, if the upstream states them. */
	readonly length: number | undefined;
	onBroken(reason: Error): void;
}

const tailBytes = 4_096;

/** Writes a response to the client while it arrives, and pauses the upstream while the client reads too slowly. */
export class RelayedResponse {
	readonly #exchange: Exchange;
	readonly #upstream: UpstreamResponse;
	#received = 0;
	/** Events that have not been written yet, as Latin-1, which keeps each byte unchanged. */
	#pending = '';
	/** The end of what was written, as Latin-1. */
	#tail = '';
	isPaused = false;
	hasEnded = false;

	/** Throws `E_TENANT_BUSY` or `E_OVERLOADED` when there is no room for one more event stream. */
	constructor(exchange: Exchange, upstream: UpstreamResponse) {
		this.#exchange = exchange;
		this.#upstream = upstream;
		if (upstream.isStream) exchange.slot?.countAsStream();
		exchange.clearDeadline();
		if (!exchange.req.complete || !exchange.req.socket) exchange.req.resume();
		if (upstream.isStream) atEndOfTick(this.#flush);
	}

	/** Returns true when this piece completes the response, which has been ended. */
	write(chunk: Buffer): boolean {
		const { request, isStream, length } = this.#upstream;
		this.#received += chunk.length;
		if (length !== undefined && this.#received > length) return this.#fail(wrongLength);
		const isLast = this.#received === length;
		if (isStream) {
			this.#pending += chunk.toString('latin1');
			if (isLast) return this.#finish();
			atEndOfTick(this.#flush);
			return false;
		}
		if (request.usage) this.#remember(chunk.toString('latin1', chunk.length - tailBytes));
		if (isLast) return this.#finish(chunk);
		this.#send(chunk);
		return false;
	}

	/** Ends the response. Returns false when a part of it is missing. */
	end(): boolean {
		const { length = this.#received } = this.#upstream;
		return this.#received === length ? this.#finish() : this.#fail(wrongLength);
	}

	/** Sends a comment in a silent event stream, but not within an event, of which it would be a part. */
	sendHeartbeat(): void {
		const isBetween = /^$|\n\n$|\r\n\r\n$/.test(this.#tail);
		if (this.#upstream.isStream && isBetween && !this.isPaused) this.#exchange.res.write(': ping\n\n');
	}

	/** Sends all events of one turn of the event loop in one write. */
	readonly #flush = () => {
		const text = this.hasEnded ? undefined : this.#takePending(false);
		if (text === undefined) return;
		if (text !== '') this.#send(Buffer.from(text, 'latin1'));
		else if (this.#tail === '') this.#withHead().flushHeaders();
	};

	/** The response with its head, which is sent with the first bytes: an earlier failure is an error with a status. */
	#withHead(): ServerResponse {
		const { status, contentType, isStream, length } = this.#upstream;
		if (this.#exchange.res.headersSent) return this.#exchange.res;
		writeHead(this.#exchange, status, {
			'cache-control': isStream ? 'no-cache' : 'no-store',
			'content-type': contentType,
			...(isStream ? { 'x-accel-buffering': 'no' } : {}),
			...(isStream || length === undefined ? {} : { 'content-length': String(length) }),
		});
		return this.#exchange.res;
	}

	/** The events that may be sent; undefined when one of them reports a failure of the upstream. */
	#takePending(isEnd: boolean): string | undefined {
		const pending = this.#pending;
		try {
			const end = this.#upstream.request.sendable?.(pending) ?? pending.length;
			const text = isEnd ? pending : pending.slice(0, end);
			this.#pending = pending.slice(text.length);
			if (text !== '') this.#remember(text);
			return text;
		} catch (error) {
			this.#fail('The upstream failed while it answered.', error);
			return undefined;
		}
	}

	#remember(text: string): void {
		this.#tail += text;
		// Shortened only now and then, because that copies the text.
		if (this.#tail.length > 16 * tailBytes) this.#tail = this.#tail.slice(-tailBytes);
	}

	#finish(last?: Buffer): boolean {
		const { request, controller } = this.#upstream;
		const text = this.#takePending(true);
		if (text === undefined) return false;
		this.hasEnded = true;
		// Otherwise the connection to the upstream would stay paused until this client has read.
		if (this.isPaused) controller.resume();
		this.#exchange.usage = request.usage?.(this.#tail);
		const res = this.#withHead();
		const body = last ?? Buffer.from(text, 'latin1');
		// Node sends a short text and its head as one string.
		const isText = body.length <= 16_384 && isUnwrapped(res);
		if (isText) atEndOfTick(() => res.end(body.toString('latin1'), 'latin1'));
		else atEndOfTick(() => res.end(body, this.#freeAfterWrite(body)));
		return true;
	}

	#send(bytes: Buffer): void {
		const res = this.#withHead();
		if (res.write(bytes, this.#freeAfterWrite(bytes)) || this.isPaused) return;
		this.isPaused = true;
		this.#upstream.controller.pause();
		res.once('drain', () => {
			this.isPaused = false;
			this.#upstream.controller.resume();
		});
	}

	/** The callback that frees written bytes; undefined for a response that a host has wrapped, which may keep them. */
	#freeAfterWrite(bytes: Buffer): (() => void) | undefined {
		return isUnwrapped(this.#exchange.res) ? () => freeChunk(bytes) : undefined;
	}

	#fail(message: string, cause?: unknown): false {
		this.hasEnded = true;
		this.#upstream.onBroken(new Error(message, { cause }));
		return false;
	}
}

const wrongLength = 'The response of the upstream has another length than it states.';
