import {
	type ForwardDispatcher,
	type ForwardRequest,
	type PlinthError,
	plinthError,
	type RawBody,
} from '@plinth/core';
import type { Upstream } from './client.ts';
import type { Complaint } from './complaint.ts';
import { neverArrived } from './connection.ts';
import { brokenAnswer, lossFailure, silenceFailure } from './failure.ts';

/** What a lane leads to. */
export interface LaneOptions {
	/** Below the base URL: `/chat/completions`. */
	readonly path: string;
	/** The header `accept`, unless the config has one. */
	readonly accept: string;
	/** The media types of answers that a client understands, in lower case. */
	readonly types: ReadonlySet<string>;
	/** Whether only answers of a length that is told are good as they come: a file that is written while it is made does not know its own. */
	readonly needsLength?: boolean;
	/** Names of the client's parameters that a refusal may name. */
	readonly params: ReadonlySet<string>;
	/** What is begun twice is paid twice: a loss that does not tell whether the request arrived is not made good by another one. */
	readonly isCostly?: boolean;
	/** Whether a complaint about a good request says that the server does not do this at all. */
	readonly isUnable?: (complaint: Complaint) => boolean;
}

/**
 * A way to a server on which requests go as clients have written them, and answers come as the server gives them. It is closed for good when the server turns out to
 * give answers that clients do not understand: each such request would be done twice.
 */
export class Lane {
	readonly origin: string;
	readonly path: string;
	readonly headers: readonly string[];
	readonly quietMs: number;
	readonly #upstream: Upstream;
	readonly #options: LaneOptions;
	readonly #where: string;
	#isOpen = true;

	constructor(upstream: Upstream, options: LaneOptions) {
		const { origin, pathname } = upstream.addressOf(options.path);
		this.origin = origin;
		this.path = pathname;
		this.headers = upstream.connection.headerList(options.accept);
		this.quietMs = upstream.quietMs;
		this.#upstream = upstream;
		this.#options = options;
		this.#where = `${upstream.host}${pathname}`;
	}

	/**
	 * A request with the name by which the server knows the model, and with one member renamed. Undefined when the lane is closed, and until the first ordinary request has opened the connection: only
	 * that can wait until the client library is loaded, which a server that never asks this model need not do.
	 */
	request(
		raw: RawBody,
		model: string,
		renamed?: readonly [from: string, to: string],
	): ForwardRequest | undefined {
		const { dispatcher } = this.#upstream.connection;
		if (!dispatcher || !this.#isOpen) return undefined;
		return new LaneRequest(
			this,
			dispatcher,
			raw.withModel(model, renamed),
			raw.value !== undefined,
		);
	}

	/** Lets no more requests through. `why` is for the log. */
	close(why: string): void {
		if (!this.#isOpen) return;
		this.#isOpen = false;
		const fields = { path: this.path, accept: this.#options.accept, why };
		this.#upstream.log.info(fields, 'requests are no longer passed on as they are');
	}

	accepts(mediaType: string, length: number | undefined): boolean {
		const { types, needsLength } = this.#options;
		return types.has(mediaType) && !(needsLength && length === undefined);
	}

	/** The error for an answer that is none. With `isKnown` the request is one that is known to be good. */
	refused(
		status: number,
		headers: Readonly<Record<string, string>>,
		body: Buffer,
		isKnown: boolean,
	): PlinthError {
		const { params, isUnable } = this.#options;
		const refusal = { where: this.#where, status, headers, body: body.toString(), params };
		const { complaint, error } = this.#upstream.readRefusal(refusal);
		if (!isKnown || !isUnable?.(complaint)) return error;
		this.close(complaint.text);
		return plinthError('E_MODEL_FAILED', { cause: error.cause });
	}

	/** Whether a request may be sent again that got this status, or was lost on its way (502), or never arrived (undefined). */
	mayRepeat(status: number | undefined): boolean {
		if (!this.#isOpen) return true;
		const isUnsure = status !== undefined && status !== 429 && status !== 503;
		return this.#upstream.retries > 0 && !(this.#options.isCostly && isUnsure);
	}

	lost(cause: Error): PlinthError {
		return lossFailure(this.#where, cause);
	}

	silent(): PlinthError {
		return silenceFailure(this.#where);
	}

	unfit(mediaType: string, isKnown: boolean): PlinthError {
		const what = `sent "${mediaType.slice(0, 100)}" in place of what was asked for`;
		// Who has written a request that nobody has read may have meant this.
		if (isKnown) this.close(what);
		return brokenAnswer(this.#where, what);
	}
}

class LaneRequest implements ForwardRequest {
	readonly dispatcher: ForwardDispatcher;
	readonly origin: string;
	readonly path: string;
	readonly headers: readonly string[];
	readonly body: Uint8Array;
	readonly quietMs: number;
	readonly #lane: Lane;
	readonly #isKnown: boolean;
	#mayRepeat = true;

	constructor(lane: Lane, dispatcher: ForwardDispatcher, body: Uint8Array, isKnown: boolean) {
		this.dispatcher = dispatcher;
		this.origin = lane.origin;
		this.path = lane.path;
		this.headers = lane.headers;
		this.body = body;
		this.quietMs = lane.quietMs;
		this.#lane = lane;
		this.#isKnown = isKnown;
	}

	accepts(mediaType: string, length?: number): boolean {
		return this.#lane.accepts(mediaType, length);
	}

	refused(status: number, headers: Readonly<Record<string, string>>, body: Buffer): PlinthError {
		const error = this.#lane.refused(status, headers, body, this.#isKnown);
		this.#mayRepeat = this.#lane.mayRepeat(status);
		return error;
	}

	lost(cause: Error): PlinthError {
		this.#mayRepeat = this.#lane.mayRepeat(neverArrived(cause) ? undefined : 502);
		return this.#lane.lost(cause);
	}

	silent(): PlinthError {
		return this.#lane.silent();
	}

	unfit(mediaType: string): PlinthError {
		return this.#lane.unfit(mediaType, this.#isKnown);
	}

	mayRepeat(): boolean {
		return this.#mayRepeat;
	}
}
