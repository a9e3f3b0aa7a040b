import type { IncomingMessage } from 'node:http';

/** Where a request leads, seen from the mount. */
export interface Target {
	/** Without everything that stands before it. */
	readonly path: string;
	/** Without the question mark. */
	readonly query: string;
	/** All that clients send before `path`: what the host has stripped, and the prefix. Empty without a mount. */
	readonly before: string;
}

/** A path outside the mount: no route has it. */
export const outside: Target = { path: '*', query: '', before: '' };

/** `/ai` for `/ai/`, and nothing for `/`. */
export function plainPrefix(prefix = ''): string {
	const name = prefix.replace(/^\/+|\/+$/g, '');
	return name && `/${name}`;
}

/**
 * Finds where a request leads; undefined when it is not below `prefix`, which comes from {@link plainPrefix}.
 * `original` is the target as the client has sent it, where the host has changed `req.url`.
 */
export function targetBelow(
	req: Pick<IncomingMessage, 'url'>,
	prefix: string,
	original = (req as { originalUrl?: unknown }).originalUrl,
): Target | undefined {
	const { path, query } = targetOf(req);
	if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined;
	const stripped = typeof original === 'string' ? strippedFrom(original, path) : '';
	return { path: path.slice(prefix.length) || '/', query, before: stripped + prefix };
}

/** What links begin with, without a trailing slash: the configured address, else `own`, and then `before`. */
export function linkBase(configured: string | undefined, own: string, before = ''): string {
	if (configured === undefined) return `${own}${before}`;
	const url = configured.replace(/\/+$/, '');
	return new URL(url).pathname === '/' ? `${url}${before}` : url;
}

/** The path and the query of a request, also in the absolute form of RFC 9112 §3.2.2. */
function targetOf(req: Pick<IncomingMessage, 'url'>): Pick<Target, 'path' | 'query'> {
	const target = (req.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
	const mark = target.indexOf('?');
	if (mark === -1) return { path: target || '/', query: '' };
	return { path: target.slice(0, mark) || '/', query: target.slice(mark + 1) };
}

function strippedFrom(original: string, path: string): string {
	const { path: sent } = targetOf({ url: original });
	if (sent.endsWith(path)) return sent.slice(0, sent.length - path.length);
	// Express has '/' for '/ai'.
	return path === '/' ? sent : '';
}
