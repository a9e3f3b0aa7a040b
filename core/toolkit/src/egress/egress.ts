import { invalidValue } from '@plinth/core';
import type { Dispatcher } from 'undici';
import { isPublicAddress } from './addresses.ts';
import type { GuardedClient } from './client.ts';
import { allowedAddresses, ForbiddenTarget, type Guard, type IsAllowed } from './guard.ts';
import { askSystem, nameServers, type Resolve } from './names.ts';

/** How requests to addresses that a client named are bounded. */
export interface EgressOptions {
	/** Takes plain http too. False unless set. */
	readonly allowHttp?: boolean;
	/** Which IP addresses may be reached; those of the public internet unless set. */
	readonly isAllowed?: IsAllowed;
	/** Unless set: name servers where only the public internet may be reached, otherwise the resolver of the system. */
	readonly resolve?: Resolve;
}

/** One request that {@link Egress} makes. */
export interface EgressRequest {
	readonly url: string;
	readonly method: 'GET' | 'POST';
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
	/** For the whole of it, redirects and body included, in milliseconds. */
	readonly timeoutMs: number;
	/** Most bytes of the answer's body; what is beyond is not read. */
	readonly maxBytes: number;
	/**
	 * How many redirects of a GET are followed, each checked like the first address, without the headers where it leads to another host; none
	 * unless set: a 3xx is then an answer like others.
	 */
	readonly redirects?: number;
	readonly signal?: AbortSignal;
}

/** The answer to a request of {@link Egress}. */
export interface EgressAnswer {
	readonly status: number;
	/** Names in lower case; of one that comes several times, the first. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer;
	/** The body had more bytes than were asked for. */
	readonly isCut: boolean;
}

/**
 * Requests to addresses that clients name: only https, only hosts of the public internet, no credentials in the address, and bounds on time and
 * size. The one way out for them, so that none of them reaches the network that the server stands in.
 */
export class Egress {
	readonly #allowsHttp: boolean;
	readonly #guard: Guard;
	#client: Promise<GuardedClient> | undefined;
	#isClosed = false;

	constructor({
		allowHttp = false,
		isAllowed = isPublicAddress,
		resolve = isAllowed === isPublicAddress ? nameServers() : askSystem,
	}: EgressOptions = {}) {
		this.#allowsHttp = allowHttp;
		this.#guard = { isAllowed, resolve };
	}

	/** Looks at an address before it is stored. Rejects with a 400 error that names `param`. */
	async check(url: string, param: string): Promise<void> {
		try {
			const { hostname } = this.#parse(url);
			await allowedAddresses(hostname, this.#guard);
		} catch (error) {
			const reason =
				error instanceof ForbiddenTarget ? error.message : 'its host name cannot be resolved';
			throw invalidValue(param, `${param}: ${reason}.`);
		}
	}

	/** Sends a request. Rejects with {@link ForbiddenTarget}, with the signal's reason, or with what went wrong on the way. */
	async send(order: EgressRequest): Promise<EgressAnswer> {
		const { timeoutMs, signal } = order;
		const redirects = order.method === 'GET' ? (order.redirects ?? 0) : 0;
		const timeout = AbortSignal.timeout(timeoutMs);
		const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
		let url = this.#parse(order.url);
		let headers = order.headers ?? {};
		for (let followed = 0; ; followed++) {
			const answer = await this.#once(url, { ...order, headers }, either);
			const location = answer.headers.location;
			const isRedirect = [301, 302, 303, 307, 308].includes(answer.status);
			if (!isRedirect || location === undefined || redirects === 0) return answer;
			if (followed === redirects) {
				throw new ForbiddenTarget(`${url.host} redirects more than ${redirects} times`);
			}
			const next = this.#parse(URL.parse(location, url.href)?.href ?? location);
			if (next.origin !== url.origin) headers = {};
			url = next;
		}
	}

	/** Closes all connections. Whatever is sent from then on is refused. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await (await this.#client)?.close();
	}

	#connect(): Promise<GuardedClient> {
		if (this.#isClosed) throw new Error('The way out is closed.');
		this.#client ??= import('./client.ts').then(
			({ GuardedClient: Client }) => new Client(this.#guard),
		);
		return this.#client;
	}

	#parse(text: string): URL {
		const url = URL.parse(text);
		if (!url) throw new ForbiddenTarget('it is not a URL');
		const isAllowed = url.protocol === 'https:' || (this.#allowsHttp && url.protocol === 'http:');
		if (!isAllowed) throw new ForbiddenTarget('only https addresses are allowed');
		if (url.username !== '' || url.password !== '') {
			throw new ForbiddenTarget('an address with a user name or a password is not allowed');
		}
		return url;
	}

	async #once(
		url: URL,
		{ method, headers = {}, body, maxBytes }: EgressRequest,
		signal: AbortSignal,
	): Promise<EgressAnswer> {
		const client = await this.#connect();
		const answer = await client.request(url, {
			method,
			headers,
			...(body === undefined ? {} : { body }),
			signal,
		});
		const { data, isCut } = await beginning(answer.body, maxBytes);
		return { status: answer.statusCode, headers: firstOf(answer.headers), body: data, isCut };
	}
}

/** Reads the beginning of a body, and lets the rest go. */
async function beginning(body: Dispatcher.ResponseData['body'], most: number) {
	const chunks: Buffer[] = [];
	let length = 0;
	// Leaving the loop destroys the body, and with it its connection.
	for await (const chunk of body as AsyncIterable<Buffer>) {
		chunks.push(chunk.subarray(0, most - length));
		length += chunk.length;
		if (length > most) return { data: Buffer.concat(chunks), isCut: true };
	}
	return { data: Buffer.concat(chunks), isCut: false };
}

function firstOf(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value = '']) => [
			name.toLowerCase(),
			typeof value === 'string' ? value : (value[0] ?? ''),
		]),
	);
}
