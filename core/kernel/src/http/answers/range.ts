import type { IncomingMessage } from 'node:http';
import { plinthError } from '../../contract/errors/coded-error.ts';
import type { ByteRange } from '../../contract/ports/blob-store.ts';

/**
 * The window that a GET asks for (RFC 9110 §14.2); undefined for the whole. Several ranges, unknown units and
 * malformed headers are ignored, as the RFC allows. Throws `E_RANGE_NOT_SATISFIABLE` for a window outside the content.
 */
export function requestedRange(req: IncomingMessage, size: number, etag: string | undefined): ByteRange | undefined {
	const { range, 'if-range': condition } = req.headers;
	if (range === undefined || req.method !== 'GET') return undefined;
	// Neither a date nor a weak tag matches: the whole content is always a right answer.
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
	// An empty whole has no window, yet asking for its end is no error.
	if (size === 0) return undefined;
	return { start: Math.max(0, size - length), end: size - 1 };
}

function unsatisfiable(size: number): Error {
	return plinthError('E_RANGE_NOT_SATISFIABLE', {
		message: `The requested range lies outside the content of ${size} bytes.`,
		headers: { 'content-range': `bytes */${size}` },
	});
}
