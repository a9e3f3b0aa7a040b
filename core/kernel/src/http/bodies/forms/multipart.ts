import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { type PlinthError, plinthError } from '../../../contract/errors/coded-error.ts';
import { isUpload } from '../../../contract/http/upload.ts';
import { shownFilename } from '../../answers/filename.ts';
import type { ResolvedLimits } from '../../limits.ts';
import { Spool } from '../files/spool.ts';
import { type FormEntry, fieldPath, foldFields } from './fields.ts';

/** A form whose files lie in temporary files. */
export interface Form {
	readonly fields: Record<string, unknown>;
	/** Deletes the files. */
	release(): Promise<void>;
}

/**
 * Reads a multipart body in constant memory. At the first limit, parse error or abort everything stops, what was
 * written is deleted, and the promise rejects: `E_BODY_TOO_LARGE`, `E_BODY_MALFORMED` or the signal's reason. The
 * rest of the request stays unread.
 */
export async function readMultipart(req: IncomingMessage, limits: ResolvedLimits, signal: AbortSignal): Promise<Form> {
	const spool = new Spool();
	try {
		const fields = foldFields(await readParts(req, limits, signal, spool));
		return { fields, release: () => spool.remove() };
	} catch (error) {
		await spool.remove();
		throw error;
	}
}

async function readParts(
	req: IncomingMessage,
	limits: ResolvedLimits,
	signal: AbortSignal,
	spool: Spool,
): Promise<FormEntry[]> {
	const parser = createParser(req, limits);
	const parts = new Parts(limits, spool, isOursAlone(req));
	const stop = new AbortController();
	try {
		await new Promise<void>((resolve, reject) => {
			watchRequest(req, limits, AbortSignal.any([signal, stop.signal]), reject);
			watchLimits(parser, limits, reject);
			parts.watch(parser, reject);
			parser.once('finish', resolve);
			req.pipe(parser);
		});
		return await parts.collect();
	} catch (error) {
		req.unpipe(parser);
		parser.destroy();
		await parts.stop();
		throw error;
	} finally {
		stop.abort();
	}
}

/** The parts that have arrived, in their order. Files may still be on their way to the disk. */
class Parts {
	readonly #limits: ResolvedLimits;
	readonly #spool: Spool;
	readonly #ownsChunks: boolean;
	readonly #entries: FormEntry[] = [];
	readonly #streams: Readable[] = [];

	constructor(limits: ResolvedLimits, spool: Spool, ownsChunks: boolean) {
		this.#limits = limits;
		this.#spool = spool;
		this.#ownsChunks = ownsChunks;
	}

	watch(parser: BusboyInstance, reject: (reason: unknown) => void): void {
		const spend = textBudget(this.#limits);
		parser.on('field', (name, value, _, truncated) => {
			attempt(reject, () => {
				spend(name ?? '', value, truncated);
				this.#entries.push({ name, value });
			});
		});
		parser.on('file', (name, stream, filename) => {
			// Before anything else: a truncated request makes the parser emit an error here, which would end the process.
			stream.on('error', () => {});
			const limit = this.#limits.file;
			stream.once('limit', () => reject(tooLarge(shownName(name), 'file', limit)));
			attempt(reject, () => fieldPath(name ?? ''));
			const saved = this.#spool.save(stream, shownFilename(filename ?? ''), this.#ownsChunks);
			saved.catch(reject);
			this.#streams.push(stream);
			this.#entries.push({ name, value: saved });
		});
	}

	/** Waits for the files. */
	async collect(): Promise<FormEntry[]> {
		const settle = async ({ name, value }: FormEntry) => ({ name, value: await value });
		const entries = await Promise.all(this.#entries.map(settle));
		return entries.filter(({ value }) => !isUnchosen(value));
	}

	/** Breaks off the files and waits until nothing is written any more. */
	async stop(): Promise<void> {
		for (const stream of this.#streams) stream.destroy(new Error('The upload is broken off.'));
		await Promise.allSettled(this.#entries.map(({ value }) => value));
	}
}

/** Whether nobody else sees what the request brings: it has a connection, and no host listens to it. */
function isOursAlone(req: IncomingMessage): boolean {
	return req.socket instanceof Socket && req.listenerCount('data') === 0;
}

/** What a browser sends for a file input that nobody used: no name and no bytes. */
function isUnchosen(value: unknown): boolean {
	return isUpload(value) && value.size === 0 && value.filename === '';
}

function createParser(req: IncomingMessage, limits: ResolvedLimits): BusboyInstance {
	const fieldSize = Math.max(limits.field, ...Object.values(limits.fieldsEndingIn));
	const { file: fileSize, files, fields, parts, headerPairs } = limits;
	try {
		const parser = new Busboy({
			headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
			// Blobs come without a name: whatever does not say that it is text is a file.
			isPartAFile: (_name, type, filename) => filename !== undefined || !isText(type),
			limits: { fieldSize, fileSize, files, fields, parts, headerPairs },
		});
		// It may still complain after it was destroyed.
		parser.on('error', () => {});
		return parser;
	} catch (error) {
		throw malformed(error);
	}
}

function isText(type = 'text/plain'): boolean {
	return /^(?:text\/|application\/(?:[\w.-]+\+)?json$)/i.test(type);
}

function watchLimits(parser: BusboyInstance, limits: ResolvedLimits, reject: (reason: unknown) => void): void {
	parser.once('error', (error) => reject(malformed(error)));
	for (const what of ['parts', 'files', 'fields'] as const) {
		parser.once(`${what}Limit`, () => reject(tooMany(what, limits[what])));
	}
}

function watchRequest(
	req: IncomingMessage,
	limits: ResolvedLimits,
	signal: AbortSignal,
	reject: (reason: unknown) => void,
): void {
	let total = 0;
	const count = (chunk: Buffer) => {
		total += chunk.length;
		if (total > limits.multipart) reject(bodyTooLarge(limits.multipart));
	};
	const early = () => {
		if (!req.readableEnded) reject(malformed('the request ended early'));
	};
	if (signal.aborted) reject(signal.reason);
	req.on('data', count);
	req.on('error', early);
	req.on('close', early);
	signal.addEventListener('abort', () => {
		req.off('data', count);
		req.off('close', early);
		reject(signal.reason);
	});
}

/** Checks text fields one after the other: each has a limit, and all have one together. */
function textBudget(limits: ResolvedLimits) {
	const own = Object.entries(limits.fieldsEndingIn);
	let spent = 0;
	return (name: string, value: string, isTruncated: boolean) => {
		fieldPath(name);
		const bytes = Buffer.byteLength(value);
		const limit = own.find(([ending]) => name.endsWith(ending))?.[1] ?? limits.field;
		if (isTruncated || bytes > limit) throw tooLarge(shownName(name), 'field', limit);
		spent += bytes;
		if (spent > limits.allFields) throw tooLarge(undefined, 'set of text fields', limits.allFields);
	};
}

/** 413: the whole body is too large. */
export function bodyTooLarge(bytes: number): PlinthError {
	return plinthError('E_BODY_TOO_LARGE', {
		message: `The request body has more than the ${bytes} bytes that this route allows.`,
	});
}

/** 413: one part of the body is too large. `what` it is: a file, a field. */
export function tooLarge(param: string | undefined, what: string, bytes: number): PlinthError {
	const culprit = param === undefined ? '' : `${param}: `;
	return plinthError('E_BODY_TOO_LARGE', {
		...(param === undefined ? {} : { param }),
		message: `${culprit}the ${what} has more than ${bytes} bytes.`,
	});
}

/** 413: the body has too many of something. */
export function tooMany(what: string, limit: number): PlinthError {
	return plinthError('E_BODY_TOO_LARGE', { message: `The request body has more than ${limit} ${what}.` });
}

function malformed(cause: unknown): Error {
	const reason = cause instanceof Error ? cause.message : String(cause);
	return plinthError('E_BODY_MALFORMED', {
		message: `The multipart body cannot be read: ${reason.slice(0, 100)}.`,
		cause,
	});
}

// Must not throw: it is called from the parser's events, where nobody would catch it.
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
