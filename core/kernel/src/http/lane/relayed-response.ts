import type { ForwardController } from '../../contract/ports/forward.ts';
import { atEndOfTick } from '../at-end-of-tick.ts';
import type { Exchange } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import { AnswerTail, tailBytes } from './answer-tail.ts';
import { PassedResponse } from './passed-response.ts';

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
export class RelayedResponse {
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
	readonly #response: PassedResponse;
	/** Short pieces that have come since the last write, as Latin-1. */
	#gathered = '';
	#willWrite = false;
	#isOver = false;
	#disarm: () => void = () => {};

	constructor(exchange: Exchange, head: AnswerHead, source: AnswerSource) {
		this.#exchange = exchange;
		this.#head = head;
		this.#source = source;
		this.#response = new PassedResponse(exchange, {
			hasLength: head.length !== undefined,
			givesMemory: source.givesMemory,
			full: this.#pause,
			room: this.#resume,
		});
	}

	/** Writes the head. Throws, with nothing written, `E_TENANT_BUSY` or `E_OVERLOADED` when there is no room for one more event stream. */
	begin(): void {
		const exchange = this.#exchange;
		const { status, isStream } = this.#head;
		if (isStream) exchange.slot?.stream();
		this.#response.begin(exchange, status, headersOf(this.#head));
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
		if (this.#isForItself(chunk)) {
			this.#note(chunk.toString('latin1', chunk.length - tailBytes));
			this.#response.pass(chunk);
			return false;
		}
		// As Latin-1 every byte stays what it is.
		this.#gathered += chunk.toString('latin1');
		// A short answer in one piece goes out as one write with its head.
		if (chunk.length === length) return this.#finish();
		this.#writeSoon();
		return false;
	}

	/** Of events not even a long piece is passed on unseen, and what comes in a pause has to wait. */
	#isForItself({ length }: Buffer): boolean {
		const { isStream } = this.#head;
		const isAlone = this.#gathered === '' && this.#pausedAt === undefined;
		return length > shortBytes && !isStream && isAlone;
	}

	/** Ends the answer, unless something is missing. False: it is. */
	end(): boolean {
		const { length = this.#received } = this.#head;
		if (this.#received !== length) {
			this.#break(wrongLength);
			return false;
		}
		return this.#finish();
	}

	#finish(): boolean {
		const text = this.#takeGathered();
		if (text === undefined) return false;
		this.stop();
		this.#exchange.usage = this.#tail.usage();
		this.#response.end(text);
		return true;
	}

	/** Writes and watches no more. */
	stop(): void {
		this.#isOver = true;
		this.#disarm();
		this.#response.close();
	}

	/** What comes at a time goes out as one piece, however many it was. */
	#writeSoon(): void {
		if (this.#willWrite) return;
		this.#willWrite = true;
		atEndOfTick(this.#writeGathered);
	}

	/** Writes what has been gathered, and the head, unless the client has enough. */
	readonly #writeGathered = () => {
		this.#willWrite = false;
		if (this.#isOver || this.#pausedAt !== undefined || this.#exchange.res.destroyed) return;
		const text = this.#takeGathered(this.#head.isStream ? sureEnd(this.#gathered) : undefined);
		if (text !== undefined) this.#response.write(text);
	};

	/** Undefined: an event of the upstream says that it has failed, and the answer is broken off. */
	#takeGathered(end?: number): string | undefined {
		const text = this.#gathered.slice(0, end);
		this.#gathered = this.#gathered.slice(text.length);
		if (text === '') return text;
		if (this.#head.isStream && tellsFailure(text)) {
			this.#break('The upstream has failed while it answered.');
			return undefined;
		}
		this.#note(text);
		return text;
	}

	/** Remembers what has come. */
	#note(text: string): void {
		this.#heardAt = this.#sentAt = this.#exchange.clock.now();
		this.#tail.add(text);
	}

	#break(message: string): void {
		this.stop();
		this.#source.broken(new Error(message));
	}

	readonly #pause = () => {
		if (this.#pausedAt !== undefined) return;
		this.#pausedAt = this.#exchange.clock.now();
		this.#source.controller.pause();
	};

	readonly #resume = () => {
		if (this.#isOver || this.#pausedAt === undefined) return;
		this.#pausedAt = undefined;
		// While it had to wait it was not silent.
		this.#heardAt = this.#exchange.clock.now();
		this.#writeGathered();
		if (this.#received === this.#head.length && this.#pausedAt === undefined) {
			this.#exchange.allSent();
		}
		if (!this.#isOver && this.#pausedAt === undefined) this.#source.controller.resume();
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
		if (this.#tail.endsEvent) this.#response.write(': ping\n\n');
	}

	#arm(ms: number): void {
		const { clock } = this.#exchange;
		const due = clock.now() + ms;
		this.#disarm = clock.after(ms, () => this.#look(clock.now() - due));
	}
}

/** Pieces up to this are copied to save a write, in bytes; and what comes with one. */
const shortBytes = 16_384;

const failure = /(?:^|[\r\n])data: ?\{"error"/;
/** What such a line begins with. */
const failures = ['data: {"error"', 'data:{"error"'];

/** Whether an event says what went wrong at the upstream, in words that are nobody else's business. In a text of JSON it could not stand like this. */
function tellsFailure(text: string): boolean {
	return text.includes('{"error"') && failure.test(text);
}

/** Where the last line begins, if it may yet tell a failure: then it waits for more. Else where the text ends. */
function sureEnd(text: string): number {
	const start = 1 + Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
	const line = text.slice(start);
	const isUnsure = line !== '' && failures.some((each) => each.startsWith(line));
	return isUnsure ? start : text.length;
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
