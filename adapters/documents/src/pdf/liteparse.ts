import { type DocumentAnnotation, type FormField, LiteParse, type ParsedPage } from '@llamaindex/liteparse';
import type { PageRange } from '@plinth/toolkit';
import { bulletsOf } from './bullets.ts';
import { type Batch, type EnginePage, type FieldValue, itemsOfField } from './engine.ts';
import { portions } from './ranges.ts';
import { itemsOf } from './words.ts';

/** What is read, and how closely. */
export interface LiteParseOptions {
	readonly maxPages: number;
	/** In order and none twice. All pages when left out. */
	readonly ranges?: readonly PageRange[] | undefined;
	/** A long document: what costs time on every page and pays on few is left out. */
	readonly isLong?: boolean;
}

const passwordField = 1 << 13;
/** Fields and notes of a page: each is compared with what is printed. */
const maxValues = 2_000;
/** Pages whose items are held at a time. */
const batchSize = 80;

/**
 * Reads a PDF with LiteParse (PDFium), without OCR. The bytes must begin with `%PDF-`: anything else it would hand to LibreOffice. Throws the
 * engine's own error.
 */
export async function* readWithLiteParse(
	bytes: Buffer,
	{ maxPages, ranges, isLong = false }: LiteParseOptions,
): AsyncGenerator<Batch> {
	const settings = {
		ocrEnabled: false,
		quiet: true,
		numWorkers: 1,
		outputFormat: 'json',
		continueOnPageError: true,
		preserveVerySmallText: true,
		extractLinks: false,
		extractFormFields: true,
		extractAnnotations: !isLong,
		// Places of single words mend lines that the engine joined wrongly, and double its time.
		emitWordBoxes: !isLong,
		includeComplexity: !isLong,
		extractVectorGraphics: !isLong,
		maxPages,
	} as const;
	if (!ranges) {
		for await (const { totalPages, result } of new LiteParse(settings).parseBatches(bytes, {
			batchSize,
		}))
			yield batchOf(totalPages, result.pages);
		return;
	}
	let pageCount = Infinity;
	for (const portion of portions(ranges, 2 * batchSize)) {
		if ((portion[0]?.first ?? 0) > pageCount) return;
		const targetPages = portion.map(({ first, last }) => `${first}-${last}`).join(',');
		const result = await new LiteParse({ ...settings, targetPages }).parse(bytes);
		pageCount = result.totalPages;
		yield batchOf(pageCount, result.pages);
	}
}

function batchOf(pageCount: number, pages: readonly ParsedPage[]): Batch {
	return { pageCount, pages: pages.map(pageOf) };
}

function pageOf(page: ParsedPage): EnginePage {
	const { width, height, complexity } = page;
	const printed = page.textItems.flatMap(itemsOf);
	const drawn = (page.vectorGraphics?.shapes ?? []).filter(({ fill }) => fill);
	const bullets = bulletsOf(
		drawn.map(({ bbox }) => bbox),
		printed,
	);
	const notes = (page.annotations ?? []).flatMap(noteOf);
	const values = [...(page.formFields ?? []).flatMap(fieldOf), ...notes].slice(0, maxValues);
	return {
		page: page.pageNum,
		width,
		height,
		items: [...printed, ...bullets, ...values.flatMap((value) => itemsOfField(value, printed))],
		isPicture: complexity?.fullPageImage === true || complexity?.reasons.includes('scanned') === true,
		isDoubtful: complexity?.isGarbled === true,
	};
}

function fieldOf(field: FormField): FieldValue[] {
	const { rect, type, checked, value = '', selectedOptions, fieldFlags } = field;
	if (!rect) return [];
	if (type === 'checkbox' || type === 'radio') return [{ text: checked ? '[x]' : '[ ]', ...rect }];
	if (type === 'button' || type === 'pushbutton' || type === 'signature') return [];
	if (type === 'text' && (fieldFlags & passwordField) !== 0) return [];
	const text = value === '' ? selectedOptions.join(', ') : value;
	return text.trim() === '' ? [] : [{ text, ...rect }];
}

/** Text that somebody typed onto the page; other notes are not seen on it. */
function noteOf({ subtype, contents = '', rect }: DocumentAnnotation): FieldValue[] {
	if (!/^freetext$/i.test(subtype) || !rect || contents.trim() === '') return [];
	return [{ text: contents, ...rect }];
}
