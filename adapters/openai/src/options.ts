import { z } from 'zod';
import type { Fields } from './upstream/request.ts';

// In YAML configs, the value of `${NAME}` is a string.
const number = () => z.coerce.number<number | string>();

/** A boolean, or its text: the value of `${NAME}` in YAML configs. */
export const flag = () => z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);

/** The options of every kind of model: the address of the server, credentials and timeouts. */
export function connectionOptions<D extends string>(
	dialects: Readonly<Record<D, unknown>>,
	defaults: { readonly dialect: NoInfer<D>; readonly timeoutSeconds: number },
) {
	return {
		/** The base URL of the API, `/v1` included: `http://gpu-1:8000/v1`. */
		baseURL: z.string().transform(readBaseURL),
		/** Sent as `Authorization: Bearer …`. Absent or empty: the header is not sent. */
		apiKey: z
			.string()
			.regex(/^[\x21-\x7e]*$/, 'An API key has no spaces and no control characters')
			.optional(),
		/** The server's name of the model. Default: the id in the config. */
		model: z.string().min(1).max(300).optional(),
		/** The kind of server. The dialects list where a server differs from OpenAI's. */
		dialect: z.enum(Object.keys(dialects) as [D, ...D[]]).default(defaults.dialect as never),
		/** Headers of every request to the server. */
		headers: z
			.record(
				z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'The name of a header has other characters'),
				z.string().regex(/^[\t\x20-\x7e]*$/, 'The value of a header has other characters'),
			)
			.default({}),
		/** Maximum seconds until a response begins, over all attempts, and between two chunks of it. */
		timeoutSeconds: number().positive().max(86_400).default(defaults.timeoutSeconds),
		/** How often a request is repeated after 429, 5xx, or a lost connection. */
		retries: number().int().min(0).max(10).default(2),
		/** Members that are added to every request, or replace members of it. `null` removes a member. */
		body: z.record(z.string(), z.json()).default({}),
		/** The request by which the server releases the model's memory, for groups: its path from the root, and its body. */
		unload: z
			.strictObject({ path: z.string().startsWith('/'), body: z.record(z.string(), z.json()).optional() })
			.optional(),
	};
}

/** The option of kinds that can forward requests unchanged. */
export const forwardOption = {
	/** Forwards requests that the server understands, and the responses, unchanged. */
	forward: flag().default(true),
};

/** Whether a config allows requests to be forwarded unchanged. */
export function allowsPassthrough({ forward, body }: ConnectionOptions & { readonly forward: boolean }): boolean {
	return forward && Object.keys(body).length === 0;
}

/** The checked options of every kind. */
export interface ConnectionOptions {
	readonly baseURL: string;
	readonly apiKey?: string | undefined;
	readonly model?: string | undefined;
	readonly headers: Readonly<Record<string, string>>;
	readonly timeoutSeconds: number;
	readonly retries: number;
	readonly body: Readonly<Record<string, z.output<ReturnType<typeof z.json>>>>;
	readonly unload?: { readonly path: string; readonly body?: Fields | undefined } | undefined;
}

function readBaseURL(text: string, context: z.RefinementCtx): string {
	const fault = (message: string) => {
		context.addIssue({ code: 'custom', message });
		return z.NEVER;
	};
	const url = URL.parse(text);
	if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
		return fault('Expected an address such as "http://127.0.0.1:8000/v1"');
	}
	if (url.username !== '' || url.password !== '') {
		return fault('An address has no user name and no password: use apiKey or headers');
	}
	if (url.search !== '' || url.hash !== '') return fault('An address has no "?" and no "#"');
	return url.href.replace(/\/+$/, '');
}
