import { type Clock, type Logger, type PlinthError, plinthError, type Unloadable } from '@plinth/core';
import type { ConnectionOptions } from '../options.ts';
import { Connection, ForbiddenAddress, wasNotSent } from './connection.ts';
import { connectionError, timeoutError } from './failure.ts';
import { type Refusal, type RefusedResponse, refusalOf } from './refusal.ts';
import type { UpstreamRequest } from './request.ts';
import { UpstreamResponse } from './response.ts';
import { pause, waitMs } from './retry.ts';
import { type Scrub, scrubber } from './scrub.ts';

/** Dependencies of a client. */
export interface UpstreamOptions {
	readonly options: ConnectionOptions;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Maximum bytes of an error response that are read. */
const errorBytes = 1_048_576;

/** Why an attempt failed, and whether it may be repeated. */
interface Failure {
	readonly error: PlinthError;
	readonly mayRetry: boolean;
	readonly statedMs?: number | undefined;
}

/** A client of the server of a model. It keeps connections, repeats requests and converts errors to coded errors. */
export class Upstream {
	/** The host of the server, for the log. */
	readonly host: string;
	/** Maximum milliseconds until a response begins, and between two chunks of it. */
	readonly quietMs: number;
	/** How often a request may be repeated. */
	readonly retries: number;
	readonly connection: Connection;
	/** A logger whose lines name the host. */
	readonly log: Logger;
	/** Removes the host and the secrets of the config from texts of the server. */
	readonly scrub: Scrub;
	/** Members of translated requests that do not come from the client: those of the config, and the seed. */
	readonly #ownMembers: ReadonlySet<string>;
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
		this.#ownMembers = new Set(['seed', ...Object.keys(options.body)]);
	}

	/**
	 * Sends a request, and repeats it until a response begins, where that may help. Rejects with a coded error, or with
	 * the signal's reason.
	 */
	send(request: UpstreamRequest): Promise<UpstreamResponse> {
		const { path, root = false } = request;
		const { baseURL } = this.#options;
		const base = root ? baseURL.replace(/\/v1$/, '') : baseURL;
		return this.#sendWithRetries(request, `${base}${path}`);
	}

	/** The `unload` of the server's models; empty where the config names no request for it. */
	get unloading(): Unloadable {
		const { unload } = this.#options;
		if (!unload) return {};
		const { path, body } = unload;
		const request = { method: 'POST', path, root: true, ...(body ? { body: { json: body } } : {}) } as const;
		return {
			unload: async () => {
				const response = await this.send({ ...request, signal: AbortSignal.timeout(this.quietMs) });
				response.discard();
			},
		};
	}

	/** Fetches a result by the URL that the server returned. The key is sent only to the server's own origin. */
	fetch(
		address: string,
		signal: AbortSignal,
		headers: Readonly<Record<string, string>> = {},
	): Promise<UpstreamResponse> {
		const url = URL.parse(address, this.#options.baseURL)?.href ?? '';
		return this.#sendWithRetries({ method: 'GET', path: '', headers, signal }, url);
	}

	/** The URL of a path below the base URL. */
	addressOf(path: string): URL {
		return new URL(`${this.#options.baseURL}${path}`);
	}

	/** Parses an error response. */
	readRefusal(answer: Omit<RefusedResponse, 'scrub' | 'now'>): Refusal {
		return refusalOf({ ...answer, scrub: this.scrub, now: this.#clock.now() });
	}

	/** Closes all connections. */
	close(): Promise<void> {
		return this.connection.close();
	}

	async #sendWithRetries(request: UpstreamRequest, url: string): Promise<UpstreamResponse> {
		const { signal, method, retry = true, seconds = this.#options.timeoutSeconds } = request;
		const deadline = this.#clock.now() + seconds * 1_000;
		for (let tries = 1; ; tries++) {
			signal.throwIfAborted();
			const outcome = await this.#try(request, url, deadline);
			if (outcome instanceof UpstreamResponse) return outcome;
			const { error, mayRetry, statedMs } = outcome;
			const wait = waitMs(tries, statedMs);
			const isPastDeadline = this.#clock.now() + wait >= deadline;
			const isExhausted = tries > this.#options.retries && !(request.retriesWhileBusy && isBusy(error));
			if (!retry || !mayRetry || isPastDeadline || isExhausted) throw error;
			this.log.info(
				{ method, code: error.code, tries, wait_ms: Math.round(wait) },
				'a request to the server of a model is sent again',
			);
			await pause(this.#clock, wait, signal);
		}
	}

	async #try(request: UpstreamRequest, url: string, deadline: number): Promise<UpstreamResponse | Failure> {
		const { signal } = request;
		const where = `${this.host}${withoutJobIds(URL.parse(url)?.pathname ?? '')}`;
		const stop = new AbortController();
		const onAbort = () => stop.abort(signal.reason);
		signal.addEventListener('abort', onAbort, { once: true });
		const release = () => signal.removeEventListener('abort', onAbort);
		const cancel = this.#clock.after(deadline - this.#clock.now(), () => stop.abort(timeoutError(where)));
		try {
			const { status, headers, body } = await this.connection.send(request, url, stop.signal);
			body.once('close', release);
			const answer = new UpstreamResponse(status, headers, body, {
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
			// The timer has aborted the request: the deadline has passed.
			if (stop.signal.aborted) return { error: stop.signal.reason, mayRetry: false };
			if (error instanceof ForbiddenAddress) {
				return { error: plinthError('E_MODEL_FAILED', { cause: error }), mayRetry: false };
			}
			return { error: connectionError(where, error), mayRetry: !request.isCostly || wasNotSent(error) };
		} finally {
			cancel();
		}
	}

	async #failure(answer: UpstreamResponse, request: UpstreamRequest): Promise<Failure> {
		const { status, headers, where } = answer;
		const body = await beginningOf(answer);
		const refused = { where, status, headers, body, params: request.params, ownMembers: this.#ownMembers };
		const { reported, error, statedMs } = this.readRefusal(refused);
		const isOutOfQuota = reported.code === 'insufficient_quota';
		const shouldRetry = headers['x-should-retry'];
		const isTemporary = status === 409 || status === 429 || (status >= 500 && status !== 501);
		// A proxy timed out, and the server may still be working.
		const isAmbiguous = ambiguousStatuses.has(status);
		const mayHelp = (isTemporary || isAmbiguous) && !(isAmbiguous && request.isCostly) && !isOutOfQuota;
		const mayRetry = shouldRetry === 'true' || (shouldRetry !== 'false' && mayHelp);
		return { error, mayRetry, statedMs };
	}
}

/** Statuses of a proxy whose server received the request and did not respond in time, or at all. */
const ambiguousStatuses = new Set([408, 502, 504, 520, 524]);

/** Whether the server may accept the request later. */
function isBusy({ code }: PlinthError): boolean {
	return code === 'E_MODEL_BUSY' || code === 'E_MODEL_UNAVAILABLE';
}

/** The beginning of an error response's body; empty when it cannot be read. */
async function beginningOf(answer: UpstreamResponse): Promise<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	try {
		for await (const chunk of answer.chunks(Number.POSITIVE_INFINITY)) {
			chunks.push(chunk);
			length += chunk.length;
			if (length > errorBytes) break;
		}
	} catch {
		// The status is enough.
	}
	return Buffer.concat(chunks).subarray(0, errorBytes).toString();
}

/** A path without ids of jobs, which must not be logged. */
function withoutJobIds(path: string): string {
	return path.replace(/(\/(?:videos|jobs)\/)[^/]+/g, '$1…').slice(0, 200);
}
