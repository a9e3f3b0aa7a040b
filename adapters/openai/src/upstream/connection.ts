import type { Readable } from 'node:stream';
import type { ForwardDispatcher } from '@plinth/core';
import type { Agent, Dispatcher } from 'undici';
import type { ConnectionOptions } from '../options.ts';
import { contentOf } from './content.ts';
import type { UpstreamRequest } from './request.ts';

/** The head of an answer, and its body unread. */
export interface RawAnswer {
	readonly status: number;
	/** Names in lower case; of one that comes several times, the first. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Readable;
}

/** An address that is not taken. */
export class Refused extends Error {}

/** Redirects of a GET that are followed. */
const mostRedirects = 3;

/**
 * As many connections as there are requests: how many a model takes at once is said in the config, and a second line
 * here would be one that nobody sees. One request at a time on each, for an answer of a model takes long. Idle ones
 * are given up before uvicorn, on which most of these servers stand, closes them without a word (5 s).
 */
const agentOptions = {
	pipelining: 1,
	keepAliveTimeout: 4_000,
	// Silence is watched by our own clock.
	headersTimeout: 0,
	bodyTimeout: 0,
} as const satisfies Agent.Options;

/** Kept connections to a server, and to where it redirects. */
export class Connection {
	readonly #options: ConnectionOptions;
	#loading: Promise<typeof import('undici')> | undefined;
	#agent: Agent | undefined;

	constructor(options: ConnectionOptions) {
		this.#options = options;
	}

	/** What requests go through that are passed on. */
	readonly dispatcher: ForwardDispatcher = {
		dispatch: (options, handler) => {
			if (this.#agent) return this.#agent.dispatch(options as Agent.DispatchOptions, handler);
			this.#load()
				.then(() => this.dispatcher.dispatch(options, handler))
				.catch((error) => handler.onResponseError(undefined, error));
			return true;
		},
	};

	/** undici is loaded with the first request: a server that never asks this model does without. */
	#load(): Promise<typeof import('undici')> {
		this.#loading ??= import('undici').then((undici) => {
			this.#agent = new undici.Agent(agentOptions);
			return undici;
		});
		return this.#loading;
	}

	/**
	 * Sends a request once, and follows the redirects of a GET; the credentials stay with the origin of the base URL.
	 * Rejects with {@link Refused}, with the signal's reason, or with what went wrong on the way.
	 */
	async send(request: UpstreamRequest, first: string, signal: AbortSignal): Promise<RawAnswer> {
		const undici = await this.#load();
		const own = new URL(this.#options.baseURL);
		let url = checked(first, own);
		for (let followed = 0; ; followed++) {
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
			const headers = firstOf(answer.headers);
			const isRedirect = status >= 300 && status < 400;
			if (!isRedirect || headers.location === undefined) return { status, headers, body };
			body.on('error', () => {}).destroy();
			if (request.method !== 'GET' || followed === mostRedirects) {
				throw new Refused(`${url.host} redirects to another address: correct baseURL`);
			}
			url = checked(URL.parse(headers.location, url.href)?.href ?? '', own);
		}
	}

	/** The head of a JSON request to the server itself: names in lower case and values in turns. */
	headerList(accept: string): readonly string[] {
		const own = Object.entries(this.#credentials());
		const all = {
			accept,
			...Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value])),
			'content-type': 'application/json',
		};
		return Object.entries(all).flat();
	}

	#credentials(): Readonly<Record<string, string>> {
		const { apiKey, headers } = this.#options;
		return { ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}), ...headers };
	}

	/** Closes all connections, whatever is under way. */
	async close(): Promise<void> {
		await this.#loading;
		await this.#agent?.destroy();
	}
}

/** Failures of a connection before anything was sent. */
const unsent = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a request was lost before it could arrive. */
export function neverArrived(error: unknown): boolean {
	// Of a name with several addresses each has been tried.
	if (error instanceof AggregateError) return error.errors.every(neverArrived);
	const { code, syscall } = error as NodeJS.ErrnoException;
	return syscall === 'connect' || unsent.has(`${code}`);
}

/** An address of the server itself, or one with https: a server must not lead a request into our own network. */
function checked(address: string, own: URL): URL {
	const url = URL.parse(address);
	const isOwn = url?.hostname === own.hostname && /^https?:$/.test(url.protocol);
	if (url && (isOwn || url.protocol === 'https:')) return url;
	throw new Refused(`${own.host} gave an address that is neither its own nor https`);
}

function firstOf(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value = '']) => [
			name.toLowerCase(),
			typeof value === 'string' ? value : (value[0] ?? ''),
		]),
	);
}
