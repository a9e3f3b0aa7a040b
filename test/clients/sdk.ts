import OpenAI7 from 'openai';
import OpenAI6 from 'openai-v6';
import { watchReplies } from '../support/openapi/watch.ts';

/** The SDK as tests see it; both lines have the same surface where it matters here. */
export type Sdk = OpenAI7;
export type SdkClass = typeof OpenAI7;

/** The official SDK, unmodified, in the two lines that are in use. */
export const lines: readonly { readonly name: string; readonly OpenAI: SdkClass }[] = [
	{ name: 'openai 6.x', OpenAI: OpenAI6 as unknown as SdkClass },
	{ name: 'openai 7.x', OpenAI: OpenAI7 },
];

/** How a client proves who it is. */
export type AuthMode = 'Bearer only' | 'x-api-key only' | 'both headers';
export const authModes: readonly AuthMode[] = ['Bearer only', 'x-api-key only', 'both headers'];

/** A client, every request that it has really sent, and what the server's document does not allow in the answers. */
export interface WatchedClient {
	readonly client: Sdk;
	readonly sent: { readonly url: string; readonly headers: Headers }[];
	readonly complaints: readonly string[];
}

/** Makes a client of one line in one mode. */
export function sdkClient(
	OpenAI: SdkClass,
	options: { readonly url: string; readonly key: string; readonly mode: AuthMode },
): WatchedClient {
	const { url, key, mode } = options;
	const sent: WatchedClient['sent'] = [];
	const replies = watchReplies(url);
	const client = new OpenAI({
		baseURL: `${url}/v1`,
		apiKey: mode === 'x-api-key only' ? 'unused' : key,
		defaultHeaders: {
			...(mode === 'Bearer only' ? {} : { 'x-api-key': key }),
			...(mode === 'x-api-key only' ? { Authorization: null } : {}),
		},
		fetch: (target, init) => {
			sent.push({ url: String(target), headers: new Headers(init?.headers) });
			const asked = { method: init?.method?.toUpperCase() ?? 'GET', url: String(target) };
			return replies.watch(asked, () => fetch(target, init));
		},
	});
	return { client, sent, complaints: replies.complaints };
}
