import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { BusboyConfig, BusboyInstance } from '@fastify/busboy';
import { isPlinthError, plinthError } from '../../../contract/errors/coded-error.ts';
import { isUpload } from '../../../contract/http/upload.ts';
import { shownFilename } from '../../answers/filename.ts';
import type { Body } from '../../context.ts';
import type { ResolvedLimits } from '../../limits.ts';
import { busboy } from '../../required.ts';
import { chunksOf, tooLarge, tooMany } from '../chunks.ts';
import { Spool } from '../files/spool.ts';
import { type FormEntry, fieldPath, foldFields } from './fields.ts';

/**
 * Reads a multipart body in constant memory. At the first exceeded limit, parse error or abort it stops, deletes the
 * files and rejects with `E_BODY_TOO_LARGE`, `E_BODY_MALFORMED` or the signal's reason. The rest stays unread.
 */
export async function readMultipart(req: IncomingMessage, limits: ResolvedLimits, signal: AbortSignal): Promise<Body> {
	const spool = new Spool();
	try {
		const value = foldFields(await readParts(req, limits, signal, spool));
		return { value, release: () => spool.remove() };
	} catch (error) {
		await spool.remove();
		throw error;
	}
}

async function readParts(req: IncomingMessage, limits: ResolvedLimits, signal: AbortSignal, spool: Spool) {
	const parser = createParser(req, limits);
	const ownsChunks = hasExclusiveChunks(req);
	const entries: FormEntry[] = [];
	const stop = new AbortController();
	const refuse = (reason: unknown) => stop.abort(reason);
	const ended = AbortSignal.any([signal, stop.signal]);
	for (const kind of ['parts', 'files', 'fields'] as const) {
		parser.once(`${kind}Limit`, () => refuse(tooMany(kind, limits[kind])));
	}
	const checkField = fieldChecker(limits);
	parser.on('field', (name, value, _, truncated) => {
		attempt(refuse, () => checkField(name ?? '', value, truncated));
		entries.push({ name, value });
	});
	parser.on('file', (name, stream, filename) => {
		// Added first: for a truncated request the parser emits an error, which ends the process without a listener.
		stream.on('error', (error) => refuse(malformed(error)));
		stream.once('limit', () => refuse(tooLarge(shownName(name), 'file', limits.file)));
		attempt(refuse, () => fieldPath(name ?? ''));
		const chunks = chunksOf(stream, limits.multipart, ended);
		const saved = spool.save(chunks, shownFilename(filename ?? ''), ownsChunks);
		saved.catch(refuse);
		entries.push({ name, value: saved });
	});
	try {
		await pipeline(chunksOf(req, limits.multipart, ended), parser, { signal: ended });
		// Some files may still be being written.
		const all = await Promise.all(entries.map(async ({ name, value }) => ({ name, value: await value })));
		ended.throwIfAborted();
		return all.filter(({ value }) => !isEmptyInput(value));
	} catch (error) {
		parser.destroy();
		refuse(isPlinthError(error) ? error : malformed(error));
		await Promise.allSettled(entries.map(({ value }) => value));
		throw ended.reason;
	}
}

/** Whether no other code reads the chunks of the request: it has a connection, and no host listens to it. */
function hasExclusiveChunks(req: IncomingMessage): boolean {
	return req.socket instanceof Socket && req.listenerCount('data') === 0;
}

/** Whether a part is what a browser sends for an empty file input: no name and no bytes. */
function isEmptyInput(value: unknown): boolean {
	return isUpload(value) && value.size === 0 && value.filename === '';
}

function createParser(req: IncomingMessage, limits: ResolvedLimits): BusboyInstance {
	const fieldSize = Math.max(limits.field, ...Object.values(limits.fieldsEndingIn));
	const { file: fileSize, files, fields, parts, headerPairs } = limits;
	try {
		const options: BusboyConfig = {
			headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
			// Blobs have no file name, so a part without one is a file unless its type is a text.
			isPartAFile: (_name, type, filename) => filename !== undefined || !isText(type),
			limits: { fieldSize, fileSize, files, fields, parts, headerPairs },
		};
		// The parser may still emit errors after it was destroyed.
		return new (busboy())(options).on('error', () => {});
	} catch (cause) {
		const message = 'The multipart body cannot be read: its Content-Type has no valid boundary.';
		const remedy = 'Let your HTTP library set this header, with a boundary of at most 70 characters.';
		throw plinthError('E_BODY_MALFORMED', { message, remedy, cause });
	}
}

function isText(type = 'text/plain'): boolean {
	return /^(?:text\/|application\/(?:[\w.-]+\+)?json$)/i.test(type);
}

/** Returns a function that checks each text field: its own limit, and the limit of all text fields together. */
function fieldChecker(limits: ResolvedLimits) {
	const own = Object.entries(limits.fieldsEndingIn);
	let totalBytes = 0;
	return (name: string, value: string, isTruncated: boolean) => {
		fieldPath(name);
		const bytes = Buffer.byteLength(value);
		const limit = own.find(([ending]) => name.endsWith(ending))?.[1] ?? limits.field;
		if (isTruncated || bytes > limit) throw tooLarge(shownName(name), 'field', limit);
		totalBytes += bytes;
		if (totalBytes > limits.allFields) throw tooLarge(undefined, 'set of text fields', limits.allFields);
	};
}

function malformed(cause: unknown): Error {
	const reason = cause instanceof Error ? cause.message : String(cause);
	const message = `The multipart body cannot be read: ${reason.slice(0, 100)}.`;
	return plinthError('E_BODY_MALFORMED', { message, cause });
}

// Must not throw: it is called from the parser's events, where no code catches errors.
function shownName(name = ''): string {
	return name
		.replace(/\[\d*\]/g, '')
		.replace(/\[([^[\]]*)\]/g, '.$1')
		.slice(0, 100);
}

function attempt(reject: (reason: unknown) => void, task: () => void): void {
	try {
		task();
	} catch (error) {
		reject(error);
	}
}
