import type { Json } from '@plinth/core';

/** The members of a JSON body; those that are undefined are left out. */
export type Fields = Readonly<Record<string, Json | undefined>>;

/** A part of a form. Files are read where they lie. */
export type FormPart =
	| { readonly name: string; readonly value: string }
	| {
			readonly name: string;
			readonly file: Uint8Array | { readonly path: string };
			readonly filename: string;
			readonly mediaType: string;
	  };

/** What a request carries. It can be sent more than once. */
export type RequestBody = { readonly json: Fields } | { readonly form: readonly FormPart[] };

/** A request to the server of a model. */
export interface UpstreamRequest {
	readonly method: 'GET' | 'POST' | 'DELETE';
	/** Below the base URL: `/images/generations`. `root: true`: below the server's own root. */
	readonly path: string;
	readonly root?: boolean;
	readonly body?: RequestBody;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
	/** The client's parameters that a refusal may name. Undefined: nothing of the request is the client's. */
	readonly params?: ReadonlySet<string>;
	/** A second request would be paid again: it is not sent while the first one may have arrived. */
	readonly isCostly?: boolean;
	/** No client waits: a server that is busy or unreachable is retried for as long as the request may take. */
	readonly isPatient?: boolean;
	/** False: one try only, for who tries again by itself. */
	readonly retry?: boolean;
	/** Until the answer has begun, all tries together; `timeoutSeconds` unless set. */
	readonly seconds?: number;
}

/** Adds what the operator wants in every request; `null` leaves a member of ours out. */
export function withExtras(fields: Fields, extras: Fields): Fields {
	const all = { ...fields, ...extras };
	return Object.fromEntries(
		Object.entries(all).filter(([name, value]) => value !== undefined && extras[name] !== null),
	);
}

/** The same members as parts of a form, where everything is text. */
export function formFields(fields: Fields): FormPart[] {
	return Object.entries(fields).flatMap(([name, value]) =>
		value === undefined ? [] : [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }],
	);
}
