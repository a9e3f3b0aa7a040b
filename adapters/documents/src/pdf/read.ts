import type { DocumentMetadata, PageRange } from '@plinth/toolkit';
import type { Share } from '../formats/format.ts';
import { pageText } from '../layout/page.ts';
import type { Ocr } from '../ocr/engine.ts';
import { documentError } from '../refusal.ts';
import type { Batch, EnginePage } from './engine.ts';
import { readWithLiteParse } from './liteparse.ts';
import { metadataOf } from './metadata.ts';
import { findObjects, type PdfObjects, pagesOf } from './objects.ts';
import { PageContents } from './page-contents.ts';
import { countOf, halves, merged, numbersIn } from './ranges.ts';
import { rebuilt } from './rebuild.ts';
import { Marks } from './restore.ts';
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
	/** Number of pages of the whole document. */
	readonly pageCount: number;
	readonly pages: readonly PdfPage[];
	readonly metadata: DocumentMetadata;
}

/** Which pages are read, and until when. */
export interface PdfOptions {
	/** All pages when left out; those beyond the end are no error. */
	readonly pages?: readonly PageRange[] | undefined;
	/** Heard between pages: the engines cannot be interrupted. */
	readonly signal?: AbortSignal | undefined;
	/** Reads pages that are pictures. They stay empty without it. */
	readonly ocr?: Ocr | undefined;
	/** Told of every page. */
	progress?(done: number, of: number): void;
	/** Takes pages off this read. Absent where it is to do all of them. */
	readonly share?: Share | undefined;
}

const maxPages = 20_000;
/** Longer documents are read for their text rather than for the last row of a form. */
const closePages = 100;
/** 150 dpi misread small print. */
const scanDpi = 300;
/** Fewer letters on a scan are a stamp or a page number, not its text. */
const sparse = 40;
/** Programs and mailers put bytes before the header; more of them are another format. */
const maxJunk = 65_536;

/**
 * Reads the text of a PDF in this process. Throws `E_DOCUMENT_UNREADABLE`, `E_DOCUMENT_ENCRYPTED` for files that need a password to open, and
 * `E_DOCUMENT_TOO_LARGE` for more than 20,000 pages when none are named.
 */
export async function readPdf(bytes: Uint8Array, options: PdfOptions = {}): Promise<PdfDocument> {
	const { signal } = options;
	signal?.throwIfAborted();
	const file = fromHeader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
	const objects = findObjects(file);
	const second = new SecondEngine(file);
	const ranges = options.pages && merged(options.pages, Number.MAX_SAFE_INTEGER);
	try {
		if (!ranges) await refuseHuge(file, objects);
		const { first, rest } = await openFirst(file, objects, second, ranges);
		const { pageCount } = first;
		if (!ranges) refuseBeyond(pageCount);
		const all = merged(ranges ?? [{ first: 1, last: pageCount }], pageCount);
		const asked = ownPart(all, options.share);
		const end = asked.at(-1)?.last ?? 0;
		const contents = new PageContents(objects, pageCount);
		const reading = {
			...options,
			second,
			file,
			marks: new Marks(contents, objects.isEncrypted ? second : undefined),
			contents,
			of: countOf(asked),
		};
		const pages: PdfPage[] = [];
		for (let batch: Batch | undefined = first; batch; ) {
			const isLast: boolean = (batch.pages.at(-1)?.page ?? 0) >= end;
			// The engine goes on in its own thread while this one lays out.
			const next: Promise<IteratorResult<Batch, undefined>> = isLast ? rest.return(undefined) : rest.next();
			next.catch(() => undefined);
			for (const page of batch.pages) if (page.page <= end) pages.push(await readPage(page, reading, pages.length + 1));
			batch = (await next).value;
		}
		return { pageCount, pages: complete(pages, asked), metadata: metadataOf(objects) };
	} finally {
		await second.close();
	}
}

/** All pages, or the first half of those of a long document. */
function ownPart(all: readonly PageRange[], share: Share | undefined): readonly PageRange[] {
	if (!share || countOf(all) <= share.above) return all;
	const [own, others] = halves(all);
	share.leave(others);
	return own;
}

interface Reading extends PdfOptions {
	readonly file: Buffer;
	readonly second: SecondEngine;
	readonly marks: Marks;
	readonly contents: PageContents;
	readonly of: number;
}

async function readPage(first: EnginePage, reading: Reading, done: number): Promise<PdfPage> {
	reading.signal?.throwIfAborted();
	const better = await reading.marks.restored(await reading.second.improved(first));
	const { page, width, height } = better;
	const text = pageText(better.items, better);
	const letters = lettersIn(text);
	const isUnread = (letters < sparse && better.isPicture) || (letters === 0 && reading.contents.hasPicture(page));
	const read = isUnread ? await reading.ocr?.(reading.file, page, better, scanDpi) : undefined;
	reading.progress?.(done, reading.of);
	if (!read) return { page, text, width, height, needsOcr: isUnread };
	const found = pageText(read.items, read);
	const more = lettersIn(found) > letters ? found : text;
	return { page, text: more, width, height, needsOcr: false };
}

/** Of long texts nobody wants to know it exactly. */
function lettersIn(text: string): number {
	return text.length > 20 * sparse ? text.length : (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0);
}

/** Pages that no engine could read are empty, not missing. */
function complete(pages: readonly PdfPage[], asked: readonly PageRange[]): PdfPage[] {
	if (pages.length === countOf(asked)) return [...pages];
	const found = new Map(pages.map((page) => [page.page, page]));
	const { width = 0, height = 0 } = pages[0] ?? {};
	return [...numbersIn(asked)].map((page) => found.get(page) ?? { page, text: '', width, height, needsOcr: false });
}

/** Pages are counted before they are read, where the file looks as if there were too many. */
async function refuseHuge(file: Buffer, objects: PdfObjects): Promise<void> {
	if (pagesOf(objects).length <= maxPages) return;
	const { value } = await readWithLiteParse(file, { maxPages: 1, ranges: [{ first: 1, last: 1 }] })
		.next()
		.catch(() => ({ value: undefined }));
	refuseBeyond(value?.pageCount ?? 0);
}

function refuseBeyond(pageCount: number): void {
	if (pageCount <= maxPages) return;
	throw documentError('E_DOCUMENT_TOO_LARGE', {
		message: `The document has ${pageCount} pages; at most ${maxPages} are read.`,
	});
}

function fromHeader(bytes: Buffer): Buffer {
	const start = bytes.subarray(0, maxJunk + 5).indexOf('%PDF-');
	if (start < 0) throw documentError('E_DOCUMENT_UNREADABLE', { message: 'The document is not a PDF.' });
	return bytes.subarray(start);
}

interface Opened {
	readonly first: Batch;
	readonly rest: AsyncGenerator<Batch, undefined>;
}

/** LiteParse on the file as it is, then on what can be rebuilt of it, then pdf.js. */
async function openFirst(
	file: Buffer,
	objects: PdfObjects,
	second: SecondEngine,
	ranges: readonly PageRange[] | undefined,
): Promise<Opened> {
	const isLong = pagesOf(objects).length > closePages;
	const attempts = [
		() => readWithLiteParse(file, { maxPages, ranges, isLong }),
		() => readRebuilt(file, objects, ranges),
		() => second.readAll(maxPages, ranges),
	];
	let cause: unknown;
	for (const attempt of attempts) {
		try {
			const rest = attempt();
			const { value: first } = await rest.next();
			if (first && (first.pageCount > 0 || ranges)) return { first, rest };
		} catch (error) {
			if (isPassword(error)) throw documentError('E_DOCUMENT_ENCRYPTED', { cause: error });
			cause ??= error;
		}
	}
	throw documentError('E_DOCUMENT_UNREADABLE', { cause });
}

async function* readRebuilt(
	file: Buffer,
	objects: PdfObjects,
	ranges: readonly PageRange[] | undefined,
): AsyncGenerator<Batch> {
	const whole = rebuilt(file, objects);
	if (whole) yield* readWithLiteParse(whole, { maxPages, ranges });
}

function isPassword(error: unknown): boolean {
	return error instanceof Error && /password/i.test(`${error.name} ${error.message}`);
}
