import type { Sdk, SdkClass } from '../clients/sdk.ts';
import { watchResponses } from './openapi/response-watch.ts';

/** Records all responses that clients of one server receive. */
export interface Recorder {
	/** A recording `fetch` for any client. */
	readonly fetch: typeof fetch;
	/** An official SDK without retries. */
	sdk(OpenAI: SdkClass, key: string): Sdk;
	/** Heads and bodies of all responses so far. Waits for those that are still being read. */
	text(): Promise<string>;
	/** The violations of the server's own OpenAPI document, one sentence each. */
	readonly violations: readonly string[];
}

/** Makes a recorder for the server at `url`. */
export function recorder(url: string): Recorder {
	const checker = watchResponses(url);
	const responses: Promise<string>[] = [];
	const recorded: typeof fetch = async (target, init) => {
		const { url: requestUrl, method } = new Request(target, { ...init, body: null });
		const response = await checker.watch({ method, url: requestUrl }, () => fetch(target, init));
		responses.push(textOf(response.clone()));
		return response;
	};
	return {
		fetch: recorded,
		sdk: (OpenAI, apiKey) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, fetch: recorded }),
		text: async () => (await Promise.all(responses)).join('\n'),
		violations: checker.violations,
	};
}

async function textOf(response: Response): Promise<string> {
	const head = [response.status, ...response.headers].join('\n');
	// When a response breaks off, the client that reads it gets the error.
	const body = await response.arrayBuffer().catch(() => new ArrayBuffer(0));
	return `${head}\n${Buffer.from(body).toString('latin1')}`;
}
