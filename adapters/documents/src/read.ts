import type { DocumentOptions, DocumentText } from '@plinth/toolkit';
import { Budget } from './formats/budget.ts';
import type { Content, OcrContext, ReadContext, Share } from './formats/format.ts';
import { formats } from './formats/index.ts';
import { isRequested } from './formats/pages.ts';
import { sniff } from './formats/sniff/sniff.ts';
import { documentError, Refusal } from './refusal.ts';
import { tidied } from './tidy.ts';

/** Options of a read that do not come from the request. */
export interface ReadRun {
	progress?(done: number, of: number): void;
	/** Absent without OCR. */
	readonly ocr?: OcrContext | undefined;
	/** Shares a long document with another read. */
	readonly share?: Share | undefined;
}

/**
 * Reads a document in this process, which should be one that can be killed, because the libraries cannot be
 * interrupted. Throws a `Refusal`, whatever the bytes are.
 */
export async function readDocument(
	bytes: Uint8Array,
	options: DocumentOptions = {},
	{ progress = () => {}, ocr, share }: ReadRun = {},
): Promise<DocumentText> {
	const ocrContext = ocr && options.ocr !== 'off' ? { ocr } : {};
	const context = { options, budget: new Budget(), depth: 0, progress, share, ...ocrContext };
	try {
		return tidied(requestedPages(await readContent(bytes, context), options));
	} catch (error) {
		throw refusalOf(error);
	}
}

/** Removes pages that were not requested: some formats read all. */
function requestedPages(content: Content, options: DocumentOptions): Content {
	const { pages, pageCount = pages?.length ?? 0 } = content;
	if (!pages) return content;
	return { ...content, pages: pages.filter(({ page }) => isRequested(page, options)), pageCount };
}

async function readContent(bytes: Uint8Array, context: Omit<ReadContext, 'readInner'>): Promise<Content> {
	const load = formats[(await sniff(bytes)) ?? ''];
	if (!load) throw documentError('E_DOCUMENT_UNSUPPORTED');
	const read = await load();
	// The requested pages are those of the outer document.
	const { pages: _, ...options } = context.options;
	const inner = { ...context, options, share: undefined, depth: context.depth + 1, progress: () => {} };
	const readInner = (file: Uint8Array) =>
		readContent(file, inner).catch((error) => {
			throw refusalOf(error);
		});
	return await read(bytes, { ...context, readInner });
}

/** Libraries throw many kinds of errors for damaged files. Only a missing package is not caused by the document. */
function refusalOf(cause: unknown): unknown {
	const isMissingPackage = (cause as { code?: unknown } | null)?.code === 'ERR_MODULE_NOT_FOUND';
	if (cause instanceof Refusal || isMissingPackage) return cause;
	const isTooLong = cause instanceof RangeError && /string length|array length|allocation/i.test(cause.message);
	return documentError(isTooLong ? 'E_DOCUMENT_TOO_LARGE' : 'E_DOCUMENT_UNREADABLE', { cause });
}
