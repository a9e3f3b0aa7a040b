import OpenAI7 from 'openai';
import OpenAI6 from 'openai-v6';
import { watchResponses } from '../support/openapi/response-watch.ts';

/** The type of the SDK in the tests. Both lines have the same API where the tests use it. */
export type Sdk = OpenAI7;
export type SdkClass = typeof OpenAI7;

/** The official SDK, unmodified, in the two major versions that are in use. */
export const lines: readonly { readonly name: string; readonly OpenAI: SdkClass }[] = [
	{ name: 'openai 6.x', OpenAI: OpenAI6 as unknown as SdkClass },
	{ name: 'openai 7.x', OpenAI: OpenAI7 },
];

/** How a client authenticates. */
export type AuthMode = 'Bearer only' | 'x-api-key only' | 'both headers';
export const authModes: readonly AuthMode[] = ['Bearer only', 'x-api-key only', 'both headers'];

/** A client, the requests that it has sent, and the violations of the OpenAPI document by the responses. */
export interface WatchedClient {
	readonly client: Sdk;
	readonly sent: { readonly url: string; readonly headers: Headers }[];
	readonly violations: readonly string[];
}

/** Makes a client of one SDK line with one authentication mode. */
export function sdkClient(
	OpenAI: SdkClass,
	options: { readonly url: string; readonly key: string; readonly mode: AuthMode },
): WatchedClient {
	const { url, key, mode } = options;
	const sent: WatchedClient['sent'] = [];
	const checker = watchResponses(url);
	const client = new OpenAI({
		baseURL: `${url}/v1`,
		apiKey: mode === 'x-api-key only' ? 'unused' : key,
		defaultHeaders: {
			...(mode === 'Bearer only' ? {} : { 'x-api-key': key }),
			...(mode === 'x-api-key only' ? { Authorization: null } : {}),
		},
		fetch: (target, init) => {
			sent.push({ url: String(target), headers: new Headers(init?.headers) });
			const request = { method: init?.method?.toUpperCase() ?? 'GET', url: String(target) };
			return checker.watch(request, () => fetch(target, init));
		},
	});
	return { client, sent, violations: checker.violations };
}
