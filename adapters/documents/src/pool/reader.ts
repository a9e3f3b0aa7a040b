import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
	type DocumentOptions,
	type DocumentRun,
	type DocumentText,
	type EncodedDocument,
	mediaError,
	mediaErrors,
} from '@plinth/toolkit';
import { Crash, OutOfMemory, ProcessPool, Refusal, TaskTimeout } from '@plinth/toolkit/processes';
import type { RefusalCode } from '../refusal.ts';
import { type DocumentLimits, documentLimits, mebibyte, timeFor } from './limits.ts';
import { type PartRun, readInParts } from './parts.ts';
import { type OcrSettings, type ReadEnd, type ReadTask, type ReadUpdate, TextBuilder } from './protocol.ts';

/** Options of a reader. */
export interface PooledReaderOptions {
	/** Maximum number of processes. */
	readonly workers: number;
	readonly ocr?: OcrSettings | undefined;
	/** The module that the processes run; for tests. */
	readonly file?: URL;
	readonly limits?: Partial<DocumentLimits>;
}

/** 4 MB need 8 MB less memory than 8 MB would, and 3 % more time. 2 MB would need 3 MB less, and 8 % more time. */
const semiSpaceMb = 4;

const child = import.meta.url.endsWith('.ts') ? '../child.ts' : '../child.js';

/** Reads documents in a pool of processes, which can be killed at any time. */
export class PooledReader {
	readonly pool: ProcessPool;
	readonly #options: PooledReaderOptions;
	readonly #limits: DocumentLimits;

	constructor(options: PooledReaderOptions) {
		this.#options = options;
		this.#limits = { ...documentLimits, ...options.limits };
		this.pool = new ProcessPool({
			name: 'document reader',
			file: options.file ?? new URL(child, import.meta.url),
			workers: options.workers,
			idleMs: 10_000,
			waitMs: this.#limits.waitMs,
			taskTimeoutMs: documentLimits.maxReadMs,
			abortGraceMs: 500,
			maxIdleBytes: 400_000_000,
			maxTasks: 200,
			heapMb: this.#limits.heapBytes / mebibyte,
			semiSpaceMb,
		});
	}

	/** Reads a document. Rejects with a coded error if the document is the cause. */
	async read(document: EncodedDocument, options: DocumentOptions, run: DocumentRun): Promise<DocumentText> {
		const isFile = 'path' in document;
		const size = isFile ? (await stat(document.path)).size : document.byteLength;
		const { fileBytes, alonePages } = this.#limits;
		if (size > fileBytes) throw tooLarge(`The document has more than ${fileBytes.toLocaleString('en')} bytes.`);
		const body = isFile ? undefined : document;
		const task: ReadTask = {
			path: isFile ? resolve(document.path) : undefined,
			options,
			ocr: this.#options.ocr,
			// With one process, sharing would only open the document a second time.
			shareAbove: this.#options.workers > 1 ? alonePages : undefined,
		};
		try {
			return await readInParts((part) => this.#readPart(task, body, size, part), run);
		} catch (error) {
			throw coded(error);
		}
	}

	async #readPart(
		task: ReadTask,
		body: Uint8Array | undefined,
		size: number,
		{ pages, signal, progress, leave }: PartRun,
	): Promise<DocumentText> {
		let text = new TextBuilder();
		const { ocrPageMs, maxOcrMs, pageMs, maxPagesMs } = this.#limits;
		let [donePages, ocrPages, addedMs] = [0, 0, 0];
		const part = pages ? { ...task, options: { ...task.options, pages }, shareAbove: undefined } : task;
		const { value } = await this.pool.run(part, {
			body,
			signal,
			timeoutMs: timeFor(size, this.#limits),
			onUpdate(value, _, deadline) {
				const update = value as ReadUpdate;
				if (update.kind === 'rest') return leave(update.pages);
				if (update.kind === 'text') return text.add(update);
				if (update.kind === 'begin') text = new TextBuilder();
				if (update.kind === 'ocr') ocrPages++;
				if (update.kind === 'progress') {
					donePages = update.done;
					progress?.(update.done, update.of);
				}
				const ms = Math.min(maxOcrMs, ocrPages * ocrPageMs) + Math.min(maxPagesMs, donePages * pageMs);
				if (ms > addedMs) deadline.extend(ms - addedMs);
				addedMs = Math.max(addedMs, ms);
			},
		});
		return text.build(value as ReadEnd);
	}
}

function tooLarge(message: string, cause?: unknown): Error {
	return mediaError('E_DOCUMENT_TOO_LARGE', { message, cause });
}

/** Converts failures to coded errors if the document is the cause. Other failures are returned unchanged. */
function coded(error: unknown): unknown {
	if (error instanceof TaskTimeout) return mediaError('E_DOCUMENT_TIMEOUT', { cause: error });
	if (error instanceof OutOfMemory) return tooLarge('The document takes too much memory to read.', error);
	if (error instanceof Crash) return mediaError('E_DOCUMENT_UNREADABLE', { cause: error });
	if (!(error instanceof Refusal)) return error;
	const { code, sentence, cause } = error;
	if (!Object.hasOwn(mediaErrors, code)) return mediaError('E_DOCUMENT_UNREADABLE', { cause: error });
	return mediaError(code as RefusalCode, { cause, ...(sentence === undefined ? {} : { message: sentence }) });
}
