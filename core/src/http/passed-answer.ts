import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ForwardController } from '../ports/forward.ts';
import { AnswerTail, tailBytes } from './answer-tail.ts';
import { freeChunk } from './buffers.ts';
import type { Exchange } from './exchange.ts';
import { httpLimits } from './limits.ts';
import { isBare, writeWholeHead } from './send.ts';

/** What an upstream says of its answer. */
export interface AnswerHead {
	readonly status: number;
	readonly contentType: string;
	readonly isStream: boolean;
	/** Of the body, in bytes, where the upstream tells it. */
	readonly length: number | undefined;
}

/** Where an answer comes from. */
export interface AnswerSource {
	readonly controller: ForwardController;
	/** Milliseconds that may lie between two pieces. */
	readonly quietMs: number;
	/** Whether pieces are ours, and may be freed. */
	readonly givesMemory: boolean;
	/** Called at most once, when the answer cannot be finished. */
	broken(reason: Error): void;
}

/** The answer of an upstream on its way to the client. */
export class PassedAnswer {
	readonly #exchange: Exchange;
	readonly #head: AnswerHead;
	readonly #source: AnswerSource;
	readonly #tail = new AnswerTail();
	#received = 0;
	/** When the upstream was heard, and when the client was sent something. */
	#heardAt = 0;
	#sentAt = 0;
	/** Since when the client has not taken what was written. */
	#pausedAt: number | undefined;
	/** Whether bytes can be written as they are to go out. */
	readonly #isBare: boolean;
	/** Whether the pieces are framed here, and not by Node. */
	readonly #isFramed: boolean;
	/** Short pieces that have come since the last write, as Latin-1. */
	#gathered = '';
	#willWrite = false;
	/** Whether Node has been given the head with something behind it, or by itself. */
	#isHeadOut = false;
	/** Tells when there is room again. */
	#outlet: ServerResponse | Socket | undefined;
	#isOver = false;
	#disarm: () => void = () => {};

	constructor(exchange: Exchange, head: AnswerHead, source: AnswerSource) {
		this.#exchange = exchange;
		this.#head = head;
		this.#source = source;
		const { req, res } = exchange;
		this.#isBare = isBare(res);
		this.#isFramed = this.#isBare && head.length === undefined && req.httpVersion === '1.1';
	}

	/** Writes the head. Throws, with nothing written, `E_TENANT_BUSY` or `E_OVERLOADED` when there is no room for one more event stream. */
	begin(): void {
		const exchange = this.#exchange;
		const { status, isStream } = this.#head;
		if (isStream) exchange.place?.stream();
		const headers = headersOf(this.#head);
		if (this.#isFramed) {
			writeWholeHead(exchange, status, { ...headers, 'transfer-encoding': 'chunked' });
			exchange.res.chunkedEncoding = false;
		} else writeWholeHead(exchange, status, headers);
		// What remains is bounded by the pace of both sides.
		exchange.clearDeadline();
		const { req, clock } = exchange;
		if (!req.complete || !req.socket) req.resume();
		// Behind the first piece, if that has come along: then both are one write.
		if (isStream) this.#writeSoon();
		this.#heardAt = this.#sentAt = clock.now();
		const { stallMs, heartbeatMs } = httpLimits;
		this.#arm(Math.min(this.#source.quietMs, stallMs, heartbeatMs));
	}

	/** True: the answer is complete with this piece, and has been ended. */
	write(chunk: Buffer): boolean {
		if (this.#isOver) return false;
		const { length = Number.POSITIVE_INFINITY } = this.#head;
		this.#received += chunk.length;
		if (this.#received > length) {
			this.#break(wrongLength);
			return false;
		}
		if (this.#head.isStream && tellsFailure(chunk)) {
			this.#break('The upstream has failed while it answered.');
			return false;
		}
		this.#heardAt = this.#sentAt = this.#exchange.clock.now();
		if (chunk.length > shortBytes) {
			this.#tail.add(chunk.toString('latin1', chunk.length - tailBytes));
			this.#pass(chunk);
			return false;
		}
		// As Latin-1 every byte stays what it is.
		const text = chunk.toString('latin1');
		this.#tail.add(text);
		this.#gathered += text;
		// A short answer in one piece goes out as one write with its head.
		const isWhole = chunk.length === length;
		if (isWhole) this.#finish();
		else this.#writeSoon();
		return isWhole;
	}

	/** Ends the answer, unless something is missing. False: it is. */
	end(): boolean {
		const { length = this.#received } = this.#head;
		if (this.#received !== length) {
			this.#break(wrongLength);
			return false;
		}
		this.#finish();
		return true;
	}

	#finish(): void {
		this.stop();
		this.#exchange.usage = this.#tail.usage();
		const { res } = this.#exchange;
		const last = this.#takeGathered() + (this.#isFramed ? '0\r\n\r\n' : '');
		if (last === '') res.end();
		else if (this.#isBare) res.end(last, 'latin1');
		else res.end(Buffer.from(last, 'latin1'));
	}

	/** Writes and watches no more. */
	stop(): void {
		this.#isOver = true;
		this.#disarm();
		this.#outlet?.off('drain', this.#resume);
	}

	/** What comes at a time goes out as one piece, however many it was. */
	#writeSoon(): void {
		if (this.#willWrite) return;
		this.#willWrite = true;
		process.nextTick(writeGathered, this);
	}

	/** Writes what has been gathered, and the head. */
	writeGathered(): void {
		const { res } = this.#exchange;
		this.#willWrite = false;
		if (this.#isOver || res.destroyed) return;
		const text = this.#takeGathered();
		// Behind the head Node has nothing to add to what is framed here or has a length.
		const socket = this.#isBare && this.#isHeadOut ? res.socket : null;
		if (text === '') {
			if (!this.#isHeadOut) res.flushHeaders();
		} else if (socket) {
			if (!socket.write(text, 'latin1')) this.#pause(socket);
		} else if (!this.#write(text)) this.#pause(res);
		this.#isHeadOut = true;
	}

	/** What a host has wrapped may take no text that is none. */
	#write(text: string): boolean {
		const { res } = this.#exchange;
		return this.#isBare ? res.write(text, 'latin1') : res.write(Buffer.from(text, 'latin1'));
	}

	/** As a frame of its own (RFC 9112, §7.1) where that is done here. */
	#takeGathered(): string {
		const text = this.#gathered;
		this.#gathered = '';
		if (text === '' || !this.#isFramed) return text;
		return `${text.length.toString(16)}\r\n${text}\r\n`;
	}

	/** A long piece goes out as it is. Nothing more is read until it has been taken: its memory may be needed for what is read next. */
	#pass(chunk: Buffer): void {
		const { res } = this.#exchange;
		const { socket } = res;
		if (!this.#isBare || !socket) {
			if (this.#gathered !== '') this.writeGathered();
			if (!res.write(Buffer.from(chunk))) this.#pause(res);
			return;
		}
		// All that goes out now is one write.
		socket.cork();
		this.writeGathered();
		const taken = () => {
			if (this.#source.givesMemory) freeChunk(chunk);
			if (socket.writableLength === 0) this.#resume();
		};
		if (this.#isFramed) {
			socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
			socket.write(chunk);
			socket.write('\r\n', 'latin1', taken);
		} else socket.write(chunk, taken);
		socket.uncork();
		if (socket.writableLength > 0) this.#pause(socket);
	}

	#break(message: string): void {
		this.stop();
		this.#source.broken(new Error(message));
	}

	#pause(outlet: ServerResponse | Socket): void {
		if (this.#pausedAt !== undefined) return;
		this.#pausedAt = this.#exchange.clock.now();
		this.#source.controller.pause();
		if (this.#outlet === outlet) return;
		this.#outlet?.off('drain', this.#resume);
		this.#outlet = outlet.on('drain', this.#resume);
	}

	readonly #resume = () => {
		if (this.#isOver || this.#pausedAt === undefined) return;
		this.#pausedAt = undefined;
		// While it had to wait it was not silent.
		this.#heardAt = this.#exchange.clock.now();
		this.#source.controller.resume();
	};

	/**
	 * Sees to the silence of either side, and waits until there may be more of it. One timer for everything that is set anew only here: pieces that come
	 * in time cost nothing but their time. `lateMs` is how much more than it has waited has passed by the clock.
	 */
	#look(lateMs: number): void {
		const { clock, res } = this.#exchange;
		const { heartbeatMs, stallMs } = httpLimits;
		const now = clock.now();
		// A clock that was set is no silence.
		const since = (at: number) => Math.max(0, now - at - Math.max(0, lateMs));
		let left: number = stallMs;
		if (this.#pausedAt !== undefined) {
			left = stallMs - since(this.#pausedAt);
			// As with every answer: who does not read for so long is taken for gone.
			if (left <= 0) res.destroy();
		} else {
			const quiet = this.#source.quietMs - since(this.#heardAt);
			if (quiet <= 0) {
				this.#break('The upstream was silent for too long.');
				return;
			}
			left = Math.min(left, quiet);
		}
		if (this.#head.isStream && this.#pausedAt === undefined) {
			if (since(this.#sentAt) >= heartbeatMs) this.#beat(now);
			left = Math.min(left, heartbeatMs - since(this.#sentAt));
		}
		if (left > 0) this.#arm(left);
	}

	#beat(now: number): void {
		this.#sentAt = now;
		// Within an event a comment would be a part of it.
		if (!this.#tail.endsEvent) return;
		this.#gathered += ': ping\n\n';
		this.#writeSoon();
	}

	#arm(ms: number): void {
		const { clock } = this.#exchange;
		const due = clock.now() + ms;
		this.#disarm = clock.after(ms, () => this.#look(clock.now() - due));
	}
}

/** Pieces up to this are copied to save a write, in bytes. */
const shortBytes = 16_384;

function writeGathered(answer: PassedAnswer): void {
	answer.writeGathered();
}

const failure = Buffer.from('{"error"');

/** Whether an event says what went wrong at the upstream, in words that are nobody else's business. In a text of JSON it could not stand like this. */
function tellsFailure(chunk: Buffer): boolean {
	for (let at = chunk.indexOf(failure); at >= 0; at = chunk.indexOf(failure, at + 1)) {
		const before = chunk.toString('latin1', Math.max(0, at - '\ndata: '.length), at);
		if (/(?:^|\n)data: ?$/.test(before)) return true;
	}
	return false;
}

const wrongLength = 'The answer of the upstream has another length than it says.';

function headersOf({ isStream, contentType, length }: AnswerHead): Record<string, string> {
	if (isStream) {
		return {
			'cache-control': 'no-cache',
			'x-accel-buffering': 'no',
			'content-type': contentType,
		};
	}
	const headers = { 'cache-control': 'no-store', 'content-type': contentType };
	return length === undefined ? headers : { ...headers, 'content-length': String(length) };
}
