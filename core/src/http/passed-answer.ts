import type { ForwardController } from '../ports/forward.ts';
import { AnswerTail } from './answer-tail.ts';
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
	#hasDrain = false;
	/** Whether bytes can be written as they are to go out. */
	readonly #isBare: boolean;
	/** Whether the pieces are framed here, and not by Node. */
	readonly #isFramed: boolean;
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
		const { req, res, clock } = exchange;
		if (!req.complete || !req.socket) req.resume();
		// Behind the first piece, if that has come along: then both are one write.
		if (isStream) process.nextTick(() => res.destroyed || res.flushHeaders());
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
		this.#tail.add(chunk);
		// A short answer in one piece goes out as one write with its head; as Latin-1 every byte stays what it is.
		if (this.#isBare && chunk.length === length && length <= shortBytes) {
			this.#finish(chunk.toString('latin1'));
			return true;
		}
		if (!this.#send(chunk)) this.#pause();
		return false;
	}

	/** Ends the answer, unless something is missing. False: it is. */
	end(): boolean {
		const { length = this.#received } = this.#head;
		if (this.#received !== length) {
			this.#break(wrongLength);
			return false;
		}
		this.#finish(this.#isFramed ? '0\r\n\r\n' : '');
		return true;
	}

	#finish(last: string): void {
		this.stop();
		this.#exchange.usage = this.#tail.usage();
		if (last === '') this.#exchange.res.end();
		else this.#exchange.res.end(last, 'latin1');
	}

	/** Writes and watches no more. */
	stop(): void {
		this.#isOver = true;
		this.#disarm();
	}

	/** False: the client has enough for now. */
	#send(chunk: Buffer): boolean {
		const { res } = this.#exchange;
		if (!this.#isFramed) return res.write(chunk);
		// One write in place of three that Node would make of it (RFC 9112, §7.1).
		if (chunk.length === 0) return true;
		const head = `${chunk.length.toString(16)}\r\n`;
		if (chunk.length <= shortBytes)
			return res.write(`${head}${chunk.toString('latin1')}\r\n`, 'latin1');
		res.write(head, 'latin1');
		res.write(chunk);
		return res.write('\r\n', 'latin1');
	}

	#break(message: string): void {
		this.stop();
		this.#source.broken(new Error(message));
	}

	#pause(): void {
		if (this.#pausedAt !== undefined) return;
		this.#pausedAt = this.#exchange.clock.now();
		this.#source.controller.pause();
		if (this.#hasDrain) return;
		this.#hasDrain = true;
		this.#exchange.res.on('drain', () => this.#resume());
	}

	#resume(): void {
		if (this.#isOver || this.#pausedAt === undefined) return;
		this.#pausedAt = undefined;
		// While it had to wait it was not silent.
		this.#heardAt = this.#exchange.clock.now();
		this.#source.controller.resume();
	}

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
		if (this.#tail.endsEvent) this.#send(Buffer.from(': ping\n\n'));
	}

	#arm(ms: number): void {
		const { clock } = this.#exchange;
		const due = clock.now() + ms;
		this.#disarm = clock.after(ms, () => this.#look(clock.now() - due));
	}
}

/** Pieces up to this are copied to save a write, in bytes. */
const shortBytes = 16_384;

const failures = ['data: {"error"', 'data:{"error"'].map((text) => Buffer.from(text));

/** Whether an event says what went wrong at the upstream, in words that are nobody else's business. In a text of JSON it could not stand like this. */
function tellsFailure(chunk: Buffer): boolean {
	return failures.some((failure) => {
		const at = chunk.indexOf(failure);
		return at === 0 || (at > 0 && chunk[at - 1] === 0x0a);
	});
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
