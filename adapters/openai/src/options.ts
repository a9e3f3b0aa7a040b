import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** A switch; `${NAME}` in YAML gives its text. */
export const flag = () => z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);

/** What all kinds of models have in common: where the server is, and how it is spoken to. */
export function connectionOptions<D extends string>(
	dialects: Readonly<Record<D, unknown>>,
	defaults: { readonly dialect: NoInfer<D>; readonly timeoutSeconds: number },
) {
	return {
		/** Where the API begins, `/v1` included: `http://gpu-1:8000/v1`. */
		baseURL: z.string().transform(readBaseURL),
		/** Sent as `Authorization: Bearer …`. Absent or empty: none is. */
		apiKey: z
			.string()
			.regex(/^[\x21-\x7e]*$/, 'An API key has no spaces and no control characters')
			.optional(),
		/** The name by which the server knows the model; the id that the config binds it to, unless set. */
		model: z.string().min(1).max(300).optional(),
		/** Which server it is, where it differs from OpenAI's own. */
		dialect: z.enum(Object.keys(dialects) as [D, ...D[]]).default(defaults.dialect as never),
		/** Headers of every request. */
		headers: z
			.record(
				z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'The name of a header has other characters'),
				z.string().regex(/^[\t\x20-\x7e]*$/, 'The value of a header has other characters'),
			)
			.default({}),
		/** Most seconds until an answer has begun, all tries together, and between two pieces of it. */
		timeoutSeconds: number().positive().max(86_400).default(defaults.timeoutSeconds),
		/** How often a request is sent again after 429, 5xx, or a lost connection. */
		retries: number().int().min(0).max(10).default(2),
		/** Members that every request has besides ours, or in their place; `null` leaves one of ours out. */
		body: z.record(z.string(), z.json()).default({}),
	};
}

/** The option of kinds whose requests can be passed on as clients have written them. */
export const forwardOption = {
	/** Passes on what the server understands as it is, and its answers likewise. */
	forward: flag().default(true),
};

/** Whether a config leaves requests as clients have written them. */
export function allowsPassthrough({ forward, body }: ConnectionOptions & { readonly forward: boolean }): boolean {
	return forward && Object.keys(body).length === 0;
}

/** The checked options that all kinds have. */
export interface ConnectionOptions {
	readonly baseURL: string;
	readonly apiKey?: string | undefined;
	readonly model?: string | undefined;
	readonly headers: Readonly<Record<string, string>>;
	readonly timeoutSeconds: number;
	readonly retries: number;
	readonly body: Readonly<Record<string, z.output<ReturnType<typeof z.json>>>>;
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
