import { type Clock, type Logger, type PlinthError, plinthError } from '@plinth/core';
import type { ConnectionOptions } from '../options.ts';
import { UpstreamAnswer } from './answer.ts';
import { Connection, neverArrived, Refused } from './connection.ts';
import { lossFailure, silenceFailure } from './failure.ts';
import { type Refusal, type RefusedAnswer, refusalOf } from './refusal.ts';
import type { UpstreamRequest } from './request.ts';
import { pause, waitMs } from './retry.ts';
import { type Scrub, scrubber } from './scrub.ts';

/** What a client is made with. */
export interface UpstreamOptions {
	readonly options: ConnectionOptions;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Bytes of a failure that are looked at. */
const complaintBytes = 1_048_576;

/** Why a try has failed, and whether another one may help. */
interface Failure {
	readonly error: PlinthError;
	readonly again: boolean;
	readonly statedMs?: number | undefined;
}

/** The server of a model: connections that are kept, tries that are repeated, and failures in our own codes. */
export class Upstream {
	/** The host of the server, for the log. */
	readonly host: string;
	/** Most milliseconds until an answer has begun, and between two pieces of it. */
	readonly quietMs: number;
	/** How often a request may be sent again. */
	readonly retries: number;
	readonly connection: Connection;
	/** Its lines name the host. */
	readonly log: Logger;
	/** Takes its host and our secrets out of what it says. */
	readonly scrub: Scrub;
	/** Members of translated requests that are not the client's: what the operator adds, and the seed. */
	readonly #ours: ReadonlySet<string>;
	readonly #options: ConnectionOptions;
	readonly #clock: Clock;

	constructor({ options, clock, log }: UpstreamOptions) {
		this.#options = options;
		this.connection = new Connection(options);
		this.host = new URL(options.baseURL).host;
		this.quietMs = options.timeoutSeconds * 1_000;
		this.retries = options.retries;
		this.#clock = clock;
		this.log = log.child({ upstream: this.host });
		this.scrub = scrubber(options);
		this.#ours = new Set(['seed', ...Object.keys(options.body)]);
	}

	/**
	 * Sends a request, again where that may help, until the answer has begun. Rejects with a coded error, and with the
	 * reason of the signal when that aborts.
	 */
	send(request: UpstreamRequest): Promise<UpstreamAnswer> {
		const { path, root = false } = request;
		const { baseURL } = this.#options;
		const base = root ? baseURL.replace(/\/v1$/, '') : baseURL;
		return this.#persist(request, `${base}${path}`);
	}

	/** Fetches what the server says its result is at. The key goes to the server's own origin alone. */
	fetch(address: string, signal: AbortSignal, headers: Readonly<Record<string, string>> = {}): Promise<UpstreamAnswer> {
		const url = URL.parse(address, this.#options.baseURL)?.href ?? '';
		return this.#persist({ method: 'GET', path: '', headers, signal }, url);
	}

	/** Where a path below the base URL leads to. */
	addressOf(path: string): URL {
		return new URL(`${this.#options.baseURL}${path}`);
	}

	/** Reads an answer that is none. */
	readRefusal(answer: Omit<RefusedAnswer, 'scrub' | 'now'>): Refusal {
		return refusalOf({ ...answer, scrub: this.scrub, now: this.#clock.now() });
	}

	/** Closes all connections. */
	close(): Promise<void> {
		return this.connection.close();
	}

	async #persist(request: UpstreamRequest, url: string): Promise<UpstreamAnswer> {
		const { signal, method, retry = true, seconds = this.#options.timeoutSeconds } = request;
		const deadline = this.#clock.now() + seconds * 1_000;
		for (let tries = 1; ; tries++) {
			signal.throwIfAborted();
			const outcome = await this.#try(request, url, deadline);
			if (outcome instanceof UpstreamAnswer) return outcome;
			const { error, again, statedMs } = outcome;
			const wait = waitMs(tries, statedMs);
			const isLate = this.#clock.now() + wait >= deadline;
			const isSpent = tries > this.#options.retries && !(request.isPatient && isBusy(error));
			if (!retry || !again || isLate || isSpent) throw error;
			this.log.info(
				{ method, code: error.code, tries, wait_ms: Math.round(wait) },
				'a request to the server of a model is sent again',
			);
			await pause(this.#clock, wait, signal);
		}
	}

	async #try(request: UpstreamRequest, url: string, deadline: number): Promise<UpstreamAnswer | Failure> {
		const { signal } = request;
		const where = `${this.host}${withoutJobIds(URL.parse(url)?.pathname ?? '')}`;
		const stop = new AbortController();
		const onAbort = () => stop.abort(signal.reason);
		signal.addEventListener('abort', onAbort, { once: true });
		const release = () => signal.removeEventListener('abort', onAbort);
		const cancel = this.#clock.after(deadline - this.#clock.now(), () => stop.abort(silenceFailure(where)));
		try {
			const { status, headers, body } = await this.connection.send(request, url, stop.signal);
			body.once('close', release);
			const answer = new UpstreamAnswer(status, headers, body, {
				where,
				clock: this.#clock,
				quietMs: this.quietMs,
				signal,
				scrub: this.scrub,
			});
			if (status >= 200 && status < 300) return answer;
			return await this.#failure(answer, request);
		} catch (error) {
			release();
			if (signal.aborted) throw signal.reason;
			// Ours: the server was silent, or its address is not taken.
			if (stop.signal.aborted) return { error: stop.signal.reason, again: false };
			if (error instanceof Refused) {
				return { error: plinthError('E_MODEL_FAILED', { cause: error }), again: false };
			}
			return { error: lossFailure(where, error), again: !request.isCostly || neverArrived(error) };
		} finally {
			cancel();
		}
	}

	async #failure(answer: UpstreamAnswer, request: UpstreamRequest): Promise<Failure> {
		const { status, headers, where } = answer;
		const body = await beginningOf(answer);
		const refused = { where, status, headers, body, params: request.params, ours: this.#ours };
		const { complaint, error, statedMs } = this.readRefusal(refused);
		const isOutOfQuota = complaint.code === 'insufficient_quota';
		const said = headers['x-should-retry'];
		const helps = status === 409 || status === 429 || (status >= 500 && status !== 501);
		// A proxy has timed out, and the server may still be working.
		const isUnsure = unsure.has(status);
		const mayHelp = (helps || isUnsure) && !(isUnsure && request.isCostly) && !isOutOfQuota;
		const again = said === 'true' || (said !== 'false' && mayHelp);
		return { error, again, statedMs };
	}
}

/** Codes of a proxy whose server took the request and did not answer in time, or at all. */
const unsure = new Set([408, 502, 504, 520, 524]);

/** What a server that takes more work later fails with. */
function isBusy({ code }: PlinthError): boolean {
	return code === 'E_MODEL_BUSY' || code === 'E_MODEL_UNAVAILABLE';
}

/** The beginning of a failure's body; what cannot be read is not there. */
async function beginningOf(answer: UpstreamAnswer): Promise<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	try {
		for await (const chunk of answer.chunks(Number.POSITIVE_INFINITY)) {
			chunks.push(chunk);
			length += chunk.length;
			if (length > complaintBytes) break;
		}
	} catch {
		// The status says enough.
	}
	return Buffer.concat(chunks).subarray(0, complaintBytes).toString();
}

/** A path without the id of a job, which must not be logged. */
function withoutJobIds(path: string): string {
	return path.replace(/(\/(?:videos|jobs)\/)[^/]+/g, '$1…').slice(0, 200);
}
