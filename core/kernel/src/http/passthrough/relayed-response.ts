import type { ServerResponse } from 'node:http';
import type { ForwardController, ForwardRequest } from '../../contract/ports/forward.ts';
import { isBare, writeHead } from '../answers/send.ts';
import { atEndOfTick } from '../at-end-of-tick.ts';
import type { Exchange } from '../exchange.ts';
import { freeChunk } from '../free-chunk.ts';

/** The response of an upstream that is to be relayed. */
export interface UpstreamResponse {
	readonly request: ForwardRequest;
	readonly controller: ForwardController;
	readonly status: number;
	readonly contentType: string;
	readonly isStream: boolean;
	/** Bytes of the body, where the upstream states them. */
	readonly length: number | undefined;
	broken(reason: Error): void;
}

const tailBytes = 4_096;

/** Writes a response to the client as it comes, and pauses the upstream while the client is full. */
export class RelayedResponse {
	readonly #exchange: Exchange;
	readonly #upstream: UpstreamResponse;
	#received = 0;
	/** Events that have not been written yet, as Latin-1: each byte stays what it is. */
	#pending = '';
	/** The end of what was written, as Latin-1. */
	#tail = '';
	/** Whether the client has not taken all that was written. */
	isFull = false;
	isOver = false;

	/** Throws `E_TENANT_BUSY` or `E_OVERLOADED` when there is no room for one more event stream. */
	constructor(exchange: Exchange, upstream: UpstreamResponse) {
		this.#exchange = exchange;
		this.#upstream = upstream;
		if (upstream.isStream) exchange.slot?.stream();
		exchange.clearDeadline();
		if (!exchange.req.complete || !exchange.req.socket) exchange.req.resume();
		if (upstream.isStream) atEndOfTick(this.#flush);
	}

	/** True: this piece completes the response, which has been ended. */
	write(chunk: Buffer): boolean {
		const { request, isStream, length } = this.#upstream;
		this.#received += chunk.length;
		if (length !== undefined && this.#received > length) return this.#break(wrongLength);
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

	/** Ends the response. False when a part of it is missing. */
	end(): boolean {
		const { length = this.#received } = this.#upstream;
		return this.#received === length ? this.#finish() : this.#break(wrongLength);
	}

	/** Sends a comment in a silent event stream. Within an event it would be a part of that. */
	beat(): void {
		const isBetween = /^$|\n\n$|\r\n\r\n$/.test(this.#tail);
		if (this.#upstream.isStream && isBetween && !this.isFull) this.#exchange.res.write(': ping\n\n');
	}

	/** All events of one turn of the event loop are one write. */
	readonly #flush = () => {
		const text = this.isOver ? undefined : this.#takePending(false);
		if (text === undefined) return;
		if (text !== '') this.#send(Buffer.from(text, 'latin1'));
		else if (this.#tail === '') this.#withHead().flushHeaders();
	};

	/** The response with its head, which comes with the first bytes: what fails before is an error with a status. */
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

	/** The events that may be sent; undefined when one of them says that the upstream failed. */
	#takePending(isEnd: boolean): string | undefined {
		const pending = this.#pending;
		try {
			const end = this.#upstream.request.sendable?.(pending) ?? pending.length;
			const text = isEnd ? pending : pending.slice(0, end);
			this.#pending = pending.slice(text.length);
			if (text !== '') this.#remember(text);
			return text;
		} catch (error) {
			this.#break('The upstream failed while it answered.', error);
			return undefined;
		}
	}

	#remember(text: string): void {
		this.#tail += text;
		// Cut now and then, for each cut copies it.
		if (this.#tail.length > 16 * tailBytes) this.#tail = this.#tail.slice(-tailBytes);
	}

	#finish(last?: Buffer): boolean {
		const { request, controller } = this.#upstream;
		const text = this.#takePending(true);
		if (text === undefined) return false;
		this.isOver = true;
		// Else the connection to the upstream would wait for this client.
		if (this.isFull) controller.resume();
		this.#exchange.usage = request.usage?.(this.#tail);
		const res = this.#withHead();
		const body = last ?? Buffer.from(text, 'latin1');
		// Node sends a short text and its head as one string.
		const isText = body.length <= 16_384 && isBare(res);
		if (isText) atEndOfTick(() => res.end(body.toString('latin1'), 'latin1'));
		else atEndOfTick(() => res.end(body, this.#freeing(body)));
		return true;
	}

	#send(bytes: Buffer): void {
		const res = this.#withHead();
		if (res.write(bytes, this.#freeing(bytes)) || this.isFull) return;
		this.isFull = true;
		this.#upstream.controller.pause();
		res.once('drain', () => {
			this.isFull = false;
			this.#upstream.controller.resume();
		});
	}

	/** Called when the system has the bytes. A response that a host has wrapped may keep them. */
	#freeing(bytes: Buffer): (() => void) | undefined {
		return isBare(this.#exchange.res) ? () => freeChunk(bytes) : undefined;
	}

	#break(message: string, cause?: unknown): false {
		this.isOver = true;
		this.#upstream.broken(new Error(message, { cause }));
		return false;
	}
}

const wrongLength = 'The response of the upstream has another length than it states.';
