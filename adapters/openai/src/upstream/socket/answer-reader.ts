import type { ForwardController, ForwardHandler } from '@plinth/core';
import { type AnswerHead, BadAnswer, checkBeginning, readHead } from './answer-head.ts';
import { ChunkedBody } from './chunked-body.ts';

/** Most bytes of a head. */
const mostHead = 65_536;

const headEnd = Buffer.from('\r\n\r\n');

/** What a reader does to the connection that its answer comes on. */
export interface AnswerSource {
	pause(): void;
	resume(): void;
	/** Nothing more is wanted. */
	abort(): void;
	/** The answer has come to its end; with `head` another request may follow. */
	finish(head: AnswerHead | undefined): void;
}

/** Reads one answer as it comes, and tells it to a handler, to whom each piece is lent. */
export class AnswerReader implements ForwardController {
	readonly #handler: ForwardHandler;
	readonly #source: AnswerSource;
	/** What has come of a head. */
	#begun: Buffer | undefined;
	#head: AnswerHead | undefined;
	#chunks: ChunkedBody | undefined;
	/** What came along with the head, when that has paused the answer. */
	#held: Buffer | undefined;
	/** How many bytes of the body are to come. */
	#left = 0;
	#isPaused = false;
	/** All of it has come, and the handler still has the last piece. */
	#isComplete = false;
	/** More has come than the answer. */
	#isTainted = false;
	#isOver = false;

	constructor(handler: ForwardHandler, source: AnswerSource) {
		this.#handler = handler;
		this.#source = source;
	}

	/** Whether the handler has been told the end. */
	get isOver(): boolean {
		return this.#isOver;
	}

	/** Takes what has come. The memory is its own until it returns, and while it is paused. */
	read(bytes: Buffer): void {
		try {
			const body = this.#head ? bytes : this.#readHeads(bytes);
			if (!body) return;
			if (this.#isPaused) this.#held = body;
			else this.#readBody(body);
		} catch (error) {
			this.fail(error as Error);
		}
	}

	/** The other side has closed its half of the connection. */
	close(): void {
		if (this.#head?.body === 'close') this.#complete();
		else this.fail(new BadAnswer('The server closed the connection before its answer was whole.'));
	}

	/** Nothing more will come. */
	fail(error: Error): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#source.abort();
		// Whoever has got all of it needs no connection any more.
		if (this.#isComplete) this.#handler.onResponseEnd(this, {});
		else this.#handler.onResponseError(this, error);
	}

	abort(reason: Error): void {
		this.fail(reason);
	}

	pause(): void {
		if (this.#isOver) return;
		this.#isPaused = true;
		this.#source.pause();
	}

	resume(): void {
		if (this.#isOver || !this.#isPaused) return;
		this.#isPaused = false;
		const held = this.#held;
		this.#held = undefined;
		if (held) this.read(held);
		if (this.#isOver || this.#isPaused) return;
		if (this.#isComplete) this.#complete();
		else this.#source.resume();
	}

	/** What stands behind the head; undefined until that is complete. Heads below 200 only announce it (RFC 9110, §15.2). */
	#readHeads(bytes: Buffer): Buffer | undefined {
		let rest = this.#begun ? Buffer.concat([this.#begun, bytes]) : bytes;
		for (;;) {
			const end = rest.indexOf(headEnd);
			if (end > mostHead || (end < 0 && rest.length > mostHead)) {
				throw new BadAnswer(`The head of the answer has more than ${mostHead} bytes.`);
			}
			if (end < 0) {
				checkBeginning(rest.toString('latin1'));
				// The memory is lent.
				this.#begun = Buffer.from(rest);
				return undefined;
			}
			const head = readHead(rest.toString('latin1', 0, end));
			if (head.status === 101) throw new BadAnswer('The server changes the protocol, unasked.');
			rest = rest.subarray(end + headEnd.length);
			if (head.status < 200) continue;
			this.#begin(head);
			return rest;
		}
	}

	#begin(head: AnswerHead): void {
		const { status, headers, message, body } = head;
		this.#begun = undefined;
		this.#head = head;
		if (body === 'chunked') this.#chunks = new ChunkedBody();
		this.#left = typeof body === 'number' ? body : Number.POSITIVE_INFINITY;
		this.#handler.onResponseStart(this, status, headers, message);
	}

	#readBody(bytes: Buffer): void {
		const { data, rest } = this.#chunks ? this.#chunks.take(bytes, 0) : this.#take(bytes);
		const isWhole = this.#chunks ? this.#chunks.isOver : this.#left === 0;
		this.#isTainted = rest < bytes.length;
		if (data.length > 0 && !this.#isOver) this.#handler.onResponseData(this, data);
		if (isWhole) this.#complete();
	}

	#take(bytes: Buffer): { readonly data: Buffer; readonly rest: number } {
		const rest = Math.min(bytes.length, this.#left);
		this.#left -= rest;
		return { data: bytes.subarray(0, rest), rest };
	}

	#complete(): void {
		this.#isComplete = true;
		if (this.#isOver || this.#isPaused) return;
		this.#isOver = true;
		this.#source.finish(this.#isTainted ? undefined : this.#head);
		this.#handler.onResponseEnd(this, {});
	}
}
