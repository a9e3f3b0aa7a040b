import type { IncomingMessage } from 'node:http';

/** The headers of an answer. */
type Headers = Readonly<Record<string, string>>;

/** Whether `If-Match`, or without it `If-Unmodified-Since`, allows this answer (RFC 9110 §13.2.2). */
export function meetsConditions({ headers }: IncomingMessage, { etag, 'last-modified': changed }: Headers): boolean {
	if (etag === undefined && changed === undefined) return true;
	const match = headers['if-match'];
	if (match === undefined) return !(timeOf(changed) > timeOf(headers['if-unmodified-since']));
	// A weak tag never matches.
	return match.trim() === '*' || match.split(',').some((tag) => tag.trim() === etag);
}

/** Whether the content is as old as `If-Modified-Since` says. `If-None-Match` replaces that header. */
export function isUnmodified({ headers }: IncomingMessage, { 'last-modified': changed }: Headers): boolean {
	return headers['if-none-match'] === undefined && timeOf(changed) <= timeOf(headers['if-modified-since']);
}

/** Whether `If-None-Match` names the tag, which has its quotes, by weak comparison. */
export function isUnchanged(req: IncomingMessage, etag: string | undefined): boolean {
	const header = req.headers['if-none-match'];
	if (header === undefined || etag === undefined) return false;
	if (header.trim() === '*') return true;
	const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
	return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}

/** NaN, which no comparison accepts, for what is no date. */
function timeOf(date = ''): number {
	return Date.parse(date);
}
