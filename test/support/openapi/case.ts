import type { Operation } from './document.ts';
import type { Verdict } from './oracle.ts';

/** How a request reaches the server. */
export type Carrier = 'fetch' | 'socket';

/** A path parameter: a text, or a thing that is made when the request is sent. */
export type PathValue = { readonly text: string } | { readonly live: string };

/** One request and what must come of it. */
export interface FuzzCase {
	readonly operation: Operation;
	readonly carrier: Carrier;
	readonly method: string;
	/** With parameters in braces. */
	readonly path: string;
	/** Percent-encoded texts of the parameters. */
	readonly params: Readonly<Record<string, PathValue>>;
	/** With its question mark, or empty. */
	readonly query: string;
	/** Lower-case names. Without the key, which the lab adds unless `keyless` is set. */
	readonly headers: Readonly<Record<string, string | readonly string[]>>;
	readonly keyless: boolean;
	readonly body: Uint8Array | undefined;
	readonly verdict: Verdict;
	/** What is special about it, for people. */
	readonly about: string;
	/** The statuses that are right; otherwise any that fits the verdict. */
	readonly statuses?: readonly number[];
}

/** A request in the form in which it can be sent again by hand. */
export function shown(sent: FuzzCase, target: string): string {
	const { method, headers, body, carrier, about, verdict } = sent;
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${cut(String(value), 300)}`);
	const text = body ? cut(Buffer.from(body).toString('latin1'), 1_200) : '';
	return [`${method} ${target}   (${carrier}; ${about}; to ${verdict})`, ...lines, '', JSON.stringify(text)].join('\n');
}

/** The beginning of a text, with its length where it is cut. */
export function cut(text: string, length: number): string {
	return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} in all)`;
}
