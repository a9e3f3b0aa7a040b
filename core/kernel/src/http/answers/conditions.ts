import type { IncomingMessage } from 'node:http';
import { plinthError } from '../../contract/errors/coded-error.ts';
import type { ByteRange } from '../../contract/ports/blob-store.ts';

type Headers = Readonly<Record<string, string>>;

/** Whether `If-Match`, or without it `If-Unmodified-Since`, allows the response (RFC 9110 §13.2.2). */
export function meetsConditions({ headers }: IncomingMessage, { etag, 'last-modified': changed }: Headers): boolean {
	if (etag === undefined && changed === undefined) return true;
	const match = headers['if-match'];
	if (match === undefined) return !(timeOf(changed) > timeOf(headers['if-unmodified-since']));
	// A weak tag never matches.
	return match.trim() === '*' || match.split(',').some((tag) => tag.trim() === etag && !etag.startsWith('W/'));
}

/** Whether the content has not changed since `If-Modified-Since`, which `If-None-Match` overrides. */
export function isUnmodified({ headers }: IncomingMessage, { 'last-modified': changed }: Headers): boolean {
	return headers['if-none-match'] === undefined && timeOf(changed) <= timeOf(headers['if-modified-since']);
}

/** Whether `If-None-Match` contains the tag (with its quotes), by weak comparison. */
export function matchesEtag(req: IncomingMessage, etag: string | undefined): boolean {
	const header = req.headers['if-none-match'];
	if (header === undefined || etag === undefined) return false;
	if (header.trim() === '*') return true;
	const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
	return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}

/** NaN for an invalid date: every comparison with it is false. */
function timeOf(date = ''): number {
	return Date.parse(date);
}

/**
 * The range that a GET requests (RFC 9110 §14.2); undefined for the whole. Several ranges, unknown units and
 * malformed headers are ignored, as the RFC allows. Throws `E_RANGE_NOT_SATISFIABLE` for a range outside the content.
 */
export function requestedRange(req: IncomingMessage, size: number, etag: string | undefined): ByteRange | undefined {
	const { range, 'if-range': condition } = req.headers;
	if (range === undefined || req.method !== 'GET') return undefined;
	// Neither a date nor a weak tag matches: the whole content is always a correct response.
	if (condition !== undefined && (etag === undefined || condition !== `"${etag}"`)) return undefined;
	const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range.trim()) ?? [];
	if (first === '' && last === '') return undefined;
	if (first === '') return suffix(Number(last), size);
	const start = Number(first);
	if (last !== '' && Number(last) < start) return undefined;
	if (start >= size) throw unsatisfiable(size);
	return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

function suffix(length: number, size: number): ByteRange | undefined {
	if (length === 0) throw unsatisfiable(size);
	// Empty content has no range, but a request for its last bytes is no error.
	if (size === 0) return undefined;
	return { start: Math.max(0, size - length), end: size - 1 };
}

function unsatisfiable(size: number): Error {
	return plinthError('E_RANGE_NOT_SATISFIABLE', {
		message: `The requested range lies outside the content of ${size} bytes.`,
		headers: { 'content-range': `bytes */${size}` },
	});
}
