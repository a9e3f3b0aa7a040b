import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { DocumentOptions, DocumentPage, PageRange } from '@plinth/toolkit';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { getDocument, PDFDateString, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { type FormatReader, metadataOf, type ReadContext } from '../formats/format.ts';
import { isRequested, refuseBeyond } from '../formats/pages.ts';
import { pageText } from '../layout/page.ts';
import type { Ocr, PageSize } from '../ocr/engine.ts';
import { documentError } from '../refusal.ts';
import { fieldItems, pictureShare, printedItems } from './items.ts';

const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
/** At 150 dpi, OCR misreads small print. */
const scanDpi = 300;
/** Fewer letters on a scan are a stamp or a page number, not its text. */
const sparse = 40;

/**
 * Reads a PDF: columns one after the other, rows of tables on one line, pictures by OCR if available. Throws
 * `E_DOCUMENT_TOO_LARGE` for more than 20,000 pages, unless specific pages are requested.
 */
export const readPdf: FormatReader = async (bytes, context) => {
	const { options, progress } = context;
	const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	// Some programs and mailers write bytes before the header.
	const file = whole.subarray(Math.max(0, whole.indexOf('%PDF-')));
	const document = await openPdf(file);
	try {
		const { numPages: pageCount } = document;
		if (!options.pages) refuseBeyond(pageCount);
		const requested = Array.from({ length: pageCount }, (_, at) => at + 1).filter((page) => isRequested(page, options));
		const numbers = ownPages(requested, context);
		const ocr = context.ocr && (await import('../ocr/engine.ts')).openOcr(context.ocr);
		const pages: DocumentPage[] = [];
		for (const number of numbers) {
			const scan = async (size: PageSize) => ocr?.(file, number, size, scanDpi);
			pages.push(await readPage(document, number, options.format, scan));
			progress(pages.length, numbers.length);
		}
		const data = await document.getMetadata().catch(() => undefined);
		const { Title, Author, CreationDate } = (data?.info ?? {}) as Record<string, string | undefined>;
		const created = PDFDateString.toDateObject(CreationDate ?? '') ?? undefined;
		return { mediaType: 'application/pdf', pageCount, pages, metadata: metadataOf(Title, Author, created) };
	} finally {
		await document.loadingTask.destroy();
	}
};

/** Opens a PDF. Throws `E_DOCUMENT_ENCRYPTED` if it needs a password, else `E_DOCUMENT_UNREADABLE`. */
async function openPdf(file: Buffer): Promise<PDFDocumentProxy> {
	const task = getDocument({
		// A copy, because pdf.js takes over the memory.
		data: new Uint8Array(file),
		verbosity: VerbosityLevel.ERRORS,
		// No picture is ever decoded.
		maxImageSize: 0,
		// Without these, texts in East Asian encodings are lost.
		cMapUrl: `${join(folder, 'cmaps')}/`,
		standardFontDataUrl: `${join(folder, 'standard_fonts')}/`,
	});
	try {
		return await task.promise;
	} catch (cause) {
		await task.destroy();
		const isLocked = cause instanceof Error && cause.name === 'PasswordException';
		throw documentError(isLocked ? 'E_DOCUMENT_ENCRYPTED' : 'E_DOCUMENT_UNREADABLE', { cause });
	}
}

/** The pages that this read reads: all, or the first half of a long document. */
function ownPages(requested: readonly number[], { options, share }: ReadContext): readonly number[] {
	if (!share || requested.length <= share.above) return requested;
	const half = Math.ceil(requested.length / 2);
	const [from = 1, end = 0] = [requested[half], requested.at(-1)];
	const clip = ({ first, last }: PageRange) => ({ first: Math.max(first, from), last: Math.min(last, end) });
	const rest = (options.pages ?? [{ first: from, last: end }]).map(clip);
	share.leave(rest.filter(({ first, last }) => first <= last));
	return requested.slice(0, half);
}

async function readPage(
	document: PDFDocumentProxy,
	number: number,
	format: DocumentOptions['format'],
	scan: (size: PageSize) => ReturnType<Ocr>,
): Promise<DocumentPage> {
	const page = await document.getPage(number).catch(() => undefined);
	// A damaged page is empty, not missing.
	if (!page) return { page: number, text: '' };
	try {
		const { width, height } = page.getViewport({ scale: 1 });
		const text = pageText([...(await printedItems(page)), ...(await fieldItems(page))], format);
		const letters = lettersIn(text);
		const share = letters < sparse ? await pictureShare(page) : 0;
		if (share <= (letters === 0 ? 0 : 0.5)) return { page: number, text, width, height, needsOcr: false };
		const items = await scan({ width, height });
		const scanned = pageText(items ?? [], format);
		return { page: number, text: lettersIn(scanned) > letters ? scanned : text, width, height, needsOcr: !items };
	} finally {
		page.cleanup();
	}
}

function lettersIn(text: string): number {
	return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
