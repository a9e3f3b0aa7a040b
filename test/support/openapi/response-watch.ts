import { ApiDocument } from './document.ts';
import { ResponseChecker, violationsOf } from './response-checker.ts';

/** The request of a response. */
export interface WatchedRequest {
	readonly method: string;
	/** The absolute URL. */
	readonly url: string;
}

/** Checks every response of one server against the server's own document. */
export interface ResponseWatch {
	/** Sends a request and returns its response, even when it violates the document. */
	watch(request: WatchedRequest, send: () => Promise<Response>): Promise<Response>;
	/** The violations so far, one sentence each. */
	readonly violations: readonly string[];
}

/**
 * Checks the responses of the server at `url`, which may have a path. `transport` fetches its document, by default over
 * the network.
 */
export function watchResponses(url: string, transport: (request: Request) => Promise<Response> = fetch): ResponseWatch {
	const violations: string[] = [];
	const prefix = new URL(url).pathname.replace(/\/$/, '');
	let checker: Promise<ResponseChecker> | undefined;
	return {
		violations,
		async watch({ method, url: target }, send) {
			// An SDK also tests the features of its `fetch`, with `data:` URLs.
			if (!target.startsWith(`${url}/`)) return send();
			// Fetched before the first request: the test may stop the server during it.
			checker ??= checkerOf(url, transport);
			const loadedChecker = await checker;
			const response = await send();
			const path = new URL(target).pathname.slice(prefix.length);
			violations.push(...(await violationsOf(loadedChecker, { method, path }, response)));
			return response;
		},
	};
}

/**
 * Checkers by the text of their document. Most servers of a run have the same document, and compiling its schemas takes
 * longer than most tests.
 */
const checkers = new Map<string, ResponseChecker>();

async function checkerOf(url: string, transport: (request: Request) => Promise<Response>): Promise<ResponseChecker> {
	const response = await transport(new Request(`${url}/openapi.json`));
	const text = (await response.text()).replaceAll(url, '');
	const checker = checkers.get(text) ?? new ResponseChecker(new ApiDocument(JSON.parse(text)));
	checkers.set(text, checker);
	return checker;
}
