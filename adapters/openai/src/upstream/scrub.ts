import type { ConnectionOptions } from '../options.ts';

/** Removes secrets from a text of a server. */
export type Scrub = (text: string) => string;

/** Shorter values are not removed: they may be ordinary words. */
const minSecretLength = 4;

/** Creates a function that removes the server's host, the key and the values of headers from error texts. */
export function scrubber({ baseURL, apiKey = '', headers }: ConnectionOptions): Scrub {
	const host = new RegExp(hostPattern(new URL(baseURL)), 'gi');
	const secrets = [apiKey, ...Object.values(headers)]
		// A server may repeat a value without its scheme, such as `Bearer`.
		.flatMap((value) => [value, value.slice(value.lastIndexOf(' ') + 1)])
		.filter(({ length }) => length >= minSecretLength)
		// The longest first: a value may start with another one.
		.sort((a, b) => b.length - a.length);
	const secret = secrets.length > 0 ? new RegExp(secrets.map(escapeRegExp).join('|'), 'g') : undefined;
	return (text) => {
		const redacted = secret ? text.replace(secret, '[redacted]') : text;
		return redacted.replace(host, 'the server');
	};
}

/** A host of one word, such as `ollama`, is removed only with a scheme or a port: the word may be ordinary. */
function hostPattern({ hostname }: URL): string {
	const name = `(?<![\\w.-])${escapeRegExp(hostname)}`;
	const port = '(?::\\d{1,5})?(?![\\w-])';
	return /[.:]/.test(hostname) ? `(?:https?://)?${name}${port}` : `https?://${name}${port}|${name}:\\d{1,5}(?![\\w-])`;
}

function escapeRegExp(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
