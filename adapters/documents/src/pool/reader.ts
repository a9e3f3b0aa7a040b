import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
	type DocumentOptions,
	type DocumentReader,
	type DocumentRun,
	type DocumentText,
	type EncodedDocument,
	mediaError,
	mergedRanges,
} from '@plinth/toolkit';
import { Crash, OutOfMemory, ProcessPool, Refusal, TaskTimeout } from '@plinth/toolkit/processes';
import { isRefusalCode } from '../refusal.ts';
import { versionWith } from '../version.ts';
import { Gathered } from './gathered.ts';
import { type DocumentLimits, documentLimits, mebibyte, timeFor } from './limits.ts';
import type { OcrSettings, ReadEnd, ReadNews, ReadTask } from './messages.ts';
import { type PartRun, readInParts } from './parts.ts';

/** How documents are read. */
export interface PooledReaderOptions {
	/** Processes at most. */
	readonly workers: number;
	readonly ocr?: OcrSettings | undefined;
	/** What the processes run; for tests. */
	readonly file?: URL;
	readonly limits?: Partial<DocumentLimits>;
}

/** Five thousand pages take 100 MB less than with Node's own choice, and hardly more time. */
const youngMb = 8;

const child = import.meta.url.endsWith('.ts') ? '../child.ts' : '../child.js';

/** `DocumentReader` on a pool of processes, which can be killed whatever a document does to them. */
export class PooledReader implements DocumentReader {
	readonly version: string;
	readonly #pool: ProcessPool;
	readonly #ocr: OcrSettings | undefined;
	readonly #limits: DocumentLimits;
	/** With one process, the second half would only open the document once more. */
	readonly #mayShare: boolean;

	constructor({ workers, ocr, file, limits }: PooledReaderOptions) {
		this.version = versionWith(ocr);
		this.#ocr = ocr;
		this.#mayShare = workers > 1;
		this.#limits = { ...documentLimits, ...limits };
		this.#pool = new ProcessPool({
			name: 'document reader',
			file: file ?? new URL(child, import.meta.url),
			workers,
			warm: 1,
			idleMs: 10_000,
			taskTimeoutMs: documentLimits.maxReadMs,
			abortGraceMs: 500,
			maxIdleBytes: 400_000_000,
			maxTasks: 200,
			heapMb: this.#limits.heapBytes / mebibyte,
			semiSpaceMb: youngMb,
		});
	}

	/** Of the processes that there are now. */
	get pids(): readonly number[] {
		return this.#pool.pids;
	}

	/** Has a process ready before the first document comes. */
	keepWarm(): void {
		this.#pool.keepWarm();
	}

	/** Ends all processes; reads under way and later ones reject. */
	close(): Promise<void> {
		return this.#pool.close();
	}

	async read(
		document: EncodedDocument,
		{ pages = [], ocr = 'auto' }: DocumentOptions = {},
		run: DocumentRun = {},
	): Promise<DocumentText> {
		run.signal?.throwIfAborted();
		const isFile = 'path' in document;
		const size = isFile ? (await stat(document.path)).size : document.byteLength;
		if (size > this.#limits.fileBytes) throw tooLong(this.#limits.fileBytes);
		const ranges = mergedRanges(pages);
		const task: ReadTask = {
			...(isFile ? { path: resolve(document.path) } : {}),
			options: ranges.length > 0 ? { ocr, pages: ranges } : { ocr },
			ocr: ocr === 'off' ? undefined : this.#ocr,
			...(this.#mayShare ? { shareAbove: this.#limits.alonePages } : {}),
		};
		const body = isFile ? undefined : document;
		try {
			return await readInParts((part) => this.#readPart(taskOf(task, part), body, size, part), run);
		} catch (error) {
			throw coded(error);
		}
	}

	async #readPart(
		task: ReadTask,
		body: Uint8Array | undefined,
		size: number,
		{ signal, progress, leave }: PartRun,
	): Promise<DocumentText> {
		const gathered = new Gathered(progress);
		const { ocrPageMs, maxOcrMs, pageMs, maxPagesMs } = this.#limits;
		let ocrPages = 0;
		const forOcr = moreTime(ocrPageMs, maxOcrMs);
		const forPages = moreTime(pageMs, maxPagesMs);
		const { value } = await this.#pool.run(task, {
			body,
			signal,
			timeoutMs: timeFor(size, this.#limits),
			onUpdate(said, _, limit) {
				const news = said as ReadNews;
				if (news.kind === 'ocr') limit.extend(forOcr(++ocrPages));
				else if (news.kind === 'rest') leave(news.pages);
				else gathered.add(news);
				if (news.kind === 'progress') limit.extend(forPages(news.done));
			},
		});
		return gathered.with(value as ReadEnd);
	}
}

/** What one process is asked. The second one of a document reads all that it is given. */
function taskOf(task: ReadTask, { pages }: PartRun): ReadTask {
	if (!pages) return task;
	const { shareAbove: _, ...alone } = task;
	return { ...alone, options: { ...task.options, pages } };
}

/** What steps of so many milliseconds add to the time of one document, until that is enough. Heard of are all that are done, not the new ones. */
function moreTime(stepMs: number, mostMs: number): (done: number) => number {
	let given = 0;
	return (done) => {
		const more = Math.min(mostMs, done * stepMs) - given;
		given += Math.max(0, more);
		return Math.max(0, more);
	};
}

function tooLong(bytes: number): Error {
	const message = `The document has more than ${bytes.toLocaleString('en')} bytes.`;
	return mediaError('E_DOCUMENT_TOO_LARGE', { message });
}

/** What ends a read, as an error of the kernel's table; what is not the document's doing stays as it is. */
function coded(cause: unknown): unknown {
	if (cause instanceof TaskTimeout) return mediaError('E_DOCUMENT_TIMEOUT', { cause });
	if (cause instanceof OutOfMemory) {
		const message = 'The document takes too much memory to read.';
		return mediaError('E_DOCUMENT_TOO_LARGE', { message, cause });
	}
	if (cause instanceof Crash) return mediaError('E_DOCUMENT_UNREADABLE', { cause });
	if (!(cause instanceof Refusal)) return cause;
	const { code, sentence: message } = cause;
	if (!isRefusalCode(code)) return mediaError('E_DOCUMENT_UNREADABLE', { cause });
	return mediaError(code, { cause: cause.cause, ...(message === undefined ? {} : { message }) });
}
