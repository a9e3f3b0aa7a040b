import { documentError } from '../errors.ts';
import { pageText } from '../layout/page.ts';
import type { EnginePage, PageRange } from './engine.ts';
import { type LiteParseResult, readWithLiteParse } from './liteparse.ts';
import { type DocumentMetadata, metadataOf } from './metadata.ts';
import { findObjects, type PdfObjects, pagesOf } from './objects.ts';
import { rebuilt } from './rebuild.ts';
import { restorePages } from './restore.ts';
import { SecondEngine } from './second-engine.ts';

/** One page of a PDF. */
export interface PdfPage {
	/** Counted from 1. */
	readonly page: number;
	/** Empty when the page holds no text. */
	readonly text: string;
	/** Points. */
	readonly width: number;
	/** Points. */
	readonly height: number;
	/** A picture without text: only OCR can tell what it says. */
	readonly needsOcr: boolean;
}

/** A PDF's text. */
export interface PdfDocument {
	/** Pages of the whole document, whichever were asked for. */
	readonly pageCount: number;
	readonly pages: readonly PdfPage[];
	readonly metadata: DocumentMetadata;
}

/** Which pages are read, and until when. */
export interface PdfOptions {
	/** All pages when left out; those beyond the end are no error. */
	readonly pages?: readonly PageRange[];
	/** Heard between pages: the engines cannot be interrupted. */
	readonly signal?: AbortSignal;
}

const maxPages = 20_000;
/** Longer documents are read for their text rather than for the last row of a form. */
const closePages = 100;
/** Programs and mailers put bytes before the header; more of them are another format. */
const maxJunk = 65_536;

/**
 * Reads the text of a PDF in this process. Throws `E_DOCUMENT_UNREADABLE`, `E_DOCUMENT_ENCRYPTED` for files that need a password to open, and
 * `E_DOCUMENT_TOO_LARGE` for more than 20,000 pages when none are named.
 */
export async function readPdf(bytes: Uint8Array, options: PdfOptions = {}): Promise<PdfDocument> {
	const { pages: ranges, signal } = options;
	signal?.throwIfAborted();
	const file = fromHeader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
	const objects = findObjects(file);
	const second = new SecondEngine(file);
	try {
		if (!ranges) await refuseHuge(file, objects);
		const first = await readFirst(file, objects, second, ranges);
		if (!ranges) refuseBeyond(first.pageCount);
		signal?.throwIfAborted();
		const chosen = await restorePages(
			await second.improve(first.pages, signal),
			objects,
			second,
			signal,
		);
		return {
			pageCount: first.pageCount,
			pages: chosen.map((page) => layOut(page, signal)),
			metadata: metadataOf(objects),
		};
	} finally {
		await second.close();
	}
}

/** Pages are counted before they are read, where the file looks as if there were too many. */
async function refuseHuge(file: Buffer, objects: PdfObjects): Promise<void> {
	if (pagesOf(objects).length <= maxPages) return;
	const { pageCount } = await readWithLiteParse(file, {
		maxPages: 1,
		ranges: [{ first: 1, last: 1 }],
	}).catch(() => ({
		pageCount: 0,
	}));
	refuseBeyond(pageCount);
}

function refuseBeyond(pageCount: number): void {
	if (pageCount <= maxPages) return;
	throw documentError('E_DOCUMENT_TOO_LARGE', {
		message: `The document has ${pageCount} pages; at most ${maxPages} are read.`,
	});
}

function layOut(page: EnginePage, signal: AbortSignal | undefined): PdfPage {
	signal?.throwIfAborted();
	const { width, height } = page;
	const text = pageText(page.items, page);
	return { page: page.page, text, width, height, needsOcr: text === '' && page.isPicture };
}

function fromHeader(bytes: Buffer): Buffer {
	const start = bytes.subarray(0, maxJunk + 5).indexOf('%PDF-');
	if (start < 0)
		throw documentError('E_DOCUMENT_UNREADABLE', { message: 'The document is not a PDF.' });
	return bytes.subarray(start);
}

/** LiteParse on the file as it is, then on what can be rebuilt of it, then pdf.js. */
async function readFirst(
	file: Buffer,
	objects: PdfObjects,
	second: SecondEngine,
	ranges: readonly PageRange[] | undefined,
): Promise<LiteParseResult> {
	const wordBoxes = pagesOf(objects).length <= closePages;
	const attempts = [
		() => readWithLiteParse(file, { maxPages, ranges, wordBoxes }),
		() => readRebuilt(file, objects, ranges),
		() => second.readAll(maxPages, ranges),
	];
	let cause: unknown;
	for (const attempt of attempts) {
		try {
			const result = await attempt();
			if (result && (result.pageCount > 0 || ranges)) return result;
		} catch (error) {
			if (isPassword(error)) throw documentError('E_DOCUMENT_ENCRYPTED', { cause: error });
			cause ??= error;
		}
	}
	throw documentError('E_DOCUMENT_UNREADABLE', { cause });
}

async function readRebuilt(
	file: Buffer,
	objects: PdfObjects,
	ranges: readonly PageRange[] | undefined,
): Promise<LiteParseResult | undefined> {
	const whole = rebuilt(file, objects);
	return whole && (await readWithLiteParse(whole, { maxPages, ranges }));
}

function isPassword(error: unknown): boolean {
	return error instanceof Error && /password/i.test(`${error.name} ${error.message}`);
}
