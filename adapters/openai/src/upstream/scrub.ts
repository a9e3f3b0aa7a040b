import type { ConnectionOptions } from '../options.ts';

/** Removes the secrets from a text of a server. */
export type Scrub = (text: string) => string;

/** Shorter values are taken for ordinary words. */
const shortest = 4;

/** Takes the server's host, the key and the values of headers out of what the server says in failures. */
export function scrubber({ baseURL, apiKey = '', headers }: ConnectionOptions): Scrub {
	const host = new RegExp(hostIn(new URL(baseURL)), 'gi');
	const secrets = [apiKey, ...Object.values(headers)]
		// A server may repeat a value without its scheme, such as `Bearer`.
		.flatMap((value) => [value, value.slice(value.lastIndexOf(' ') + 1)])
		.filter(({ length }) => length >= shortest)
		// Of two that begin alike none may leave its end behind.
		.sort((a, b) => b.length - a.length);
	const secret = secrets.length > 0 ? new RegExp(secrets.map(literally).join('|'), 'g') : undefined;
	return (text) => {
		const open = secret ? text.replace(secret, '[redacted]') : text;
		return open.replace(host, 'the server');
	};
}

/** A host of one word, such as `ollama`, is taken out only with a scheme or a port: the word may mean more. */
function hostIn({ hostname }: URL): string {
	const name = `(?<![\\w.-])${literally(hostname)}`;
	const port = '(?::\\d{1,5})?(?![\\w-])';
	return /[.:]/.test(hostname) ? `(?:https?://)?${name}${port}` : `https?://${name}${port}|${name}:\\d{1,5}(?![\\w-])`;
}

function literally(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
