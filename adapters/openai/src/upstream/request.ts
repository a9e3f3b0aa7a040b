import type { Json } from '@plinth/core';

/** The members of a JSON body. Undefined members are not sent. */
export type Fields = Readonly<Record<string, Json | undefined>>;

/** A part of a form. Files are read from their path. */
export type FormPart =
	| { readonly name: string; readonly value: string }
	| {
			readonly name: string;
			readonly file: Uint8Array | { readonly path: string };
			readonly filename: string;
			readonly mediaType: string;
	  };

/** The body of a request. It can be sent more than once. */
export type RequestBody = { readonly json: Fields } | { readonly form: readonly FormPart[] };

/** A request to the server of a model. */
export interface UpstreamRequest {
	readonly method: 'GET' | 'POST' | 'DELETE';
	/** The path below the base URL: `/images/generations`. With `root: true`, below the server's root. */
	readonly path: string;
	readonly root?: boolean;
	readonly body?: RequestBody;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
	/** Parameters of the client that an error may name. Undefined: nothing in the request comes from the client. */
	readonly params?: ReadonlySet<string>;
	/** Whether each request costs money. It is not repeated when the first one may have arrived. */
	readonly isCostly?: boolean;
	/** Whether to repeat the request until its timeout while the server is busy or unreachable. No client waits. */
	readonly retriesWhileBusy?: boolean;
	/** False: only one attempt, for callers that repeat the request themselves. */
	readonly retry?: boolean;
	/** Maximum seconds until a response begins, over all attempts; `timeoutSeconds` unless set. */
	readonly seconds?: number;
}

/** Adds the members of the config to a request; `null` removes a member. */
export function withExtras(fields: Fields, extras: Fields): Fields {
	const all = { ...fields, ...extras };
	return Object.fromEntries(
		Object.entries(all).filter(([name, value]) => value !== undefined && extras[name] !== null),
	);
}

/** Members as parts of a form, where every value is text. */
export function formFields(fields: Fields): FormPart[] {
	return Object.entries(fields).flatMap(([name, value]) =>
		value === undefined ? [] : [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }],
	);
}
