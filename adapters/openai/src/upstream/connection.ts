import type { Readable } from 'node:stream';
import type { ForwardDispatcher } from '@plinth/core';
import type { Agent, Dispatcher } from 'undici';
import type { ConnectionOptions } from '../options.ts';
import { contentOf } from './content.ts';
import type { UpstreamRequest } from './request.ts';

/** The head of a response, and its unread body. */
export interface RawResponse {
	readonly status: number;
	/** Names in lower case; the first value of a repeated header. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Readable;
}

/** The error for an address that must not be requested. */
export class ForbiddenAddress extends Error {}

/** Maximum redirects of a GET. */
const maxRedirects = 3;

/**
 * The number of connections has no limit: the config limits the concurrent requests of a model. Each connection has one
 * request at a time, because responses of models take long. Idle connections are closed after 4 s, before uvicorn, the
 * usual HTTP server of such backends, closes them after 5 s.
 */
const agentOptions = {
	pipelining: 1,
	keepAliveTimeout: 4_000,
	// The client has its own timeouts.
	headersTimeout: 0,
	bodyTimeout: 0,
} as const satisfies Agent.Options;

/** Persistent connections to a server and to the targets of its redirects. */
export class Connection {
	readonly #options: ConnectionOptions;
	#loading: Promise<typeof import('undici')> | undefined;
	#agent: Agent | undefined;

	constructor(options: ConnectionOptions) {
		this.#options = options;
	}

	/** The dispatcher of requests that pass through. */
	readonly dispatcher: ForwardDispatcher = {
		dispatch: (options, handler) => {
			if (this.#agent) return this.#agent.dispatch(options as Agent.DispatchOptions, handler);
			this.#load()
				.then(() => this.dispatcher.dispatch(options, handler))
				.catch((error) => handler.onResponseError(undefined, error));
			return true;
		},
	};

	/** Loads undici with the first request, so that an unused model does not need it. */
	#load(): Promise<typeof import('undici')> {
		this.#loading ??= import('undici').then((undici) => {
			this.#agent = new undici.Agent(agentOptions);
			return undici;
		});
		return this.#loading;
	}

	/**
	 * Sends a request once, and follows the redirects of a GET. Credentials are sent only to the origin of the base URL.
	 * Rejects with {@link ForbiddenAddress}, with the signal's reason, or with the error of the connection.
	 */
	async send(request: UpstreamRequest, address: string, signal: AbortSignal): Promise<RawResponse> {
		const undici = await this.#load();
		const own = new URL(this.#options.baseURL);
		let url = checkAddress(address, own);
		for (let redirects = 0; ; redirects++) {
			const isOwn = url.origin === own.origin;
			const content = await contentOf(request.body, () => new undici.FormData());
			const answer = await undici.request(url, {
				dispatcher: this.#agent as Agent,
				method: request.method,
				headers: { ...(isOwn ? this.#credentials() : {}), ...content.headers, ...request.headers },
				body: content.body,
				signal,
			});
			const { statusCode: status, body } = answer;
			const headers = firstValues(answer.headers);
			const isRedirect = status >= 300 && status < 400;
			if (!isRedirect || headers.location === undefined) return { status, headers, body };
			body.on('error', () => {}).destroy();
			if (request.method !== 'GET' || redirects === maxRedirects) {
				throw new ForbiddenAddress(`${url.host} redirects to another address: correct baseURL`);
			}
			url = checkAddress(URL.parse(headers.location, url.href)?.href ?? '', own);
		}
	}

	/** The headers of a JSON request to the server: names in lower case and values, alternating. */
	headerList(accept: string): readonly string[] {
		const own = Object.entries(this.#credentials()).map(([name, value]) => [name.toLowerCase(), value] as const);
		return Object.entries({ accept, ...Object.fromEntries(own), 'content-type': 'application/json' }).flat();
	}

	#credentials(): Readonly<Record<string, string>> {
		const { apiKey, headers } = this.#options;
		return { ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}), ...headers };
	}

	/** Closes all connections, also those with running requests. */
	async close(): Promise<void> {
		await this.#loading;
		await this.#agent?.destroy();
	}
}

/** Error codes of connections that were not made. */
const unsent = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a request failed before it was sent. */
export function wasNotSent(error: unknown): boolean {
	// Every address of the host was tried.
	if (error instanceof AggregateError) return error.errors.every(wasNotSent);
	const { code, syscall } = error as NodeJS.ErrnoException;
	return syscall === 'connect' || unsent.has(`${code}`);
}

/** Accepts the server's own host, and https elsewhere: a server must not redirect requests to internal hosts. */
function checkAddress(address: string, own: URL): URL {
	const url = URL.parse(address);
	const isOwn = url?.hostname === own.hostname && /^https?:$/.test(url.protocol);
	if (url && (isOwn || url.protocol === 'https:')) return url;
	throw new ForbiddenAddress(`${own.host} gave an address that is neither its own nor https`);
}

function firstValues(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value = '']) => [
			name.toLowerCase(),
			typeof value === 'string' ? value : (value[0] ?? ''),
		]),
	);
}
