import type { Operation } from './document.ts';
import type { Verdict } from './oracle.ts';

/** How a request is sent to the server. */
export type Transport = 'fetch' | 'socket';

/** A path parameter: a text, or the name of a resource that is created when the request is sent. */
export type PathValue = { readonly text: string } | { readonly live: string };

/** One generated request and the expected result. */
export interface FuzzCase {
	readonly operation: Operation;
	readonly transport: Transport;
	readonly method: string;
	/** With parameters in braces. */
	readonly path: string;
	/** Percent-encoded values of the path parameters. */
	readonly params: Readonly<Record<string, PathValue>>;
	/** With its question mark, or empty. */
	readonly query: string;
	/** Lower-case names. The fuzzer adds the key unless `keyless` is set. */
	readonly headers: Readonly<Record<string, string | readonly string[]>>;
	readonly keyless: boolean;
	readonly body: Uint8Array | undefined;
	readonly verdict: Verdict;
	/** A description of the case for the report. */
	readonly about: string;
	/** The expected statuses. Without them, any status that matches the verdict is correct. */
	readonly statuses?: readonly number[];
}

/** Formats a request so that it can be sent again by hand. */
export function format(fuzzCase: FuzzCase, target: string): string {
	const { method, headers, body, transport, about, verdict } = fuzzCase;
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${truncate(String(value), 300)}`);
	const text = body ? truncate(Buffer.from(body).toString('latin1'), 1_200) : '';
	return [`${method} ${target}   (${transport}; ${about}; to ${verdict})`, ...lines, '', JSON.stringify(text)].join(
		'\n',
	);
}

/** The start of a text; if truncated, with the length of the whole. */
export function truncate(text: string, length: number): string {
	return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} in all)`;
}
