import { invalidValue } from '@plinth/core';
import type { Agent, Dispatcher } from 'undici';
import { isPublicAddress } from './addresses.ts';
import { allowedAddresses, ForbiddenTarget, type Guard, type IsAllowed } from './guard.ts';
import { nameServers, type Resolve, systemResolver } from './names.ts';

/** Where an {@link Egress} may send requests. */
export interface EgressOptions {
	/** Allows plain http. False unless set. */
	readonly allowHttp?: boolean;
	/** Which IP addresses may be reached. Those of the public internet unless set. */
	readonly isAllowed?: IsAllowed;
	/** How host names are resolved. Unless set: by name servers, or by the system's resolver when `isAllowed` is set. */
	readonly resolve?: Resolve;
}

/** One request that {@link Egress} makes. */
export interface EgressRequest {
	readonly url: string;
	readonly method: 'GET' | 'POST';
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
	/** Time limit of the whole request, including redirects and body, in milliseconds. */
	readonly timeoutMs: number;
	/** Maximum size of the response body, in bytes. The rest is not read. */
	readonly maxBytes: number;
	/**
	 * How many redirects of a GET are followed. Each address is checked like the first one. The headers are dropped at
	 * the first redirect to another origin. None unless set: a 3xx is then returned like any other status.
	 */
	readonly redirects?: number;
	readonly signal?: AbortSignal;
}

/** The response to a request of {@link Egress}. */
export interface EgressResponse {
	readonly status: number;
	/** Names in lower case. Of a repeated header, the first value. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer;
	/** The body had more than `maxBytes` bytes. */
	readonly isTruncated: boolean;
}

/**
 * Sends requests to addresses that clients name: only https, only hosts of the public internet, no credentials in the
 * address, and limits on time and size. All such requests go through it, so that none reaches the server's own network.
 */
export class Egress {
	readonly #allowsHttp: boolean;
	readonly #guard: Guard;
	#agent: Promise<Agent> | undefined;
	#isClosed = false;

	constructor({
		allowHttp = false,
		isAllowed = isPublicAddress,
		resolve = isAllowed === isPublicAddress ? nameServers() : systemResolver,
	}: EgressOptions = {}) {
		this.#allowsHttp = allowHttp;
		this.#guard = { isAllowed, resolve };
	}

	/** Checks an address before it is stored. Rejects with a 400 error that names `param`. */
	async check(url: string, param: string): Promise<void> {
		try {
			const { hostname } = this.#parse(url);
			await allowedAddresses(hostname, this.#guard);
		} catch (error) {
			const reason = error instanceof ForbiddenTarget ? error.message : 'its host name cannot be resolved';
			throw invalidValue(param, `${param}: ${reason}.`);
		}
	}

	/** Sends a request. Rejects with {@link ForbiddenTarget}, with the signal's reason, or with a network error. */
	async send(request: EgressRequest): Promise<EgressResponse> {
		const { timeoutMs, signal } = request;
		const redirects = request.method === 'GET' ? (request.redirects ?? 0) : 0;
		const timeout = AbortSignal.timeout(timeoutMs);
		const anySignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
		let url = this.#parse(request.url);
		let headers = request.headers ?? {};
		for (let followed = 0; ; followed++) {
			const response = await this.#sendOnce(url, { ...request, headers }, anySignal);
			const location = response.headers.location;
			const isRedirect = [301, 302, 303, 307, 308].includes(response.status);
			if (!isRedirect || location === undefined || redirects === 0) return response;
			if (followed === redirects) {
				throw new ForbiddenTarget(`${url.host} redirects more than ${redirects} times`);
			}
			const next = this.#parse(URL.parse(location, url.href)?.href ?? location);
			if (next.origin !== url.origin) headers = {};
			url = next;
		}
	}

	/** Closes all connections. Later requests are refused. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await (await this.#agent)?.destroy();
	}

	#connect(): Promise<Agent> {
		if (this.#isClosed) throw new Error('The egress is closed.');
		this.#agent ??= import('./client.ts').then(({ guardedAgent }) => guardedAgent(this.#guard));
		return this.#agent;
	}

	#parse(text: string): URL {
		const url = URL.parse(text);
		if (!url) throw new ForbiddenTarget('it is not a URL');
		const isAllowed = url.protocol === 'https:' || (this.#allowsHttp && url.protocol === 'http:');
		const schemes = this.#allowsHttp ? 'https and http' : 'https';
		if (!isAllowed) throw new ForbiddenTarget(`only ${schemes} addresses are allowed, such as https://example.com/`);
		if (url.username !== '' || url.password !== '') {
			throw new ForbiddenTarget('an address with a user name or a password is not allowed');
		}
		return url;
	}

	async #sendOnce(
		url: URL,
		{ method, headers = {}, body, maxBytes }: EgressRequest,
		signal: AbortSignal,
	): Promise<EgressResponse> {
		const { origin, pathname, search } = url;
		const agent = await this.#connect();
		const response = await agent.request({
			origin,
			path: `${pathname}${search}`,
			method,
			headers,
			...(body === undefined ? {} : { body }),
			signal,
		});
		const read = await readUpTo(maxBytes, response.body);
		return { status: response.statusCode, headers: firstValues(response.headers), ...read };
	}
}

/** Reads a body up to a number of bytes and discards the rest. */
async function readUpTo(maxBytes: number, body: Dispatcher.ResponseData['body']) {
	const chunks: Buffer[] = [];
	let length = 0;
	// Leaving the loop destroys the body and its connection.
	for await (const chunk of body as AsyncIterable<Buffer>) {
		chunks.push(chunk.subarray(0, maxBytes - length));
		length += chunk.length;
		if (length > maxBytes) return { body: Buffer.concat(chunks), isTruncated: true };
	}
	return { body: Buffer.concat(chunks), isTruncated: false };
}

function firstValues(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value = '']) => [name, typeof value === 'string' ? value : (value[0] ?? '')]),
	);
}
