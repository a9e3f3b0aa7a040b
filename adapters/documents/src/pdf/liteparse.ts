import {
	type FormField,
	LiteParse,
	type ParsedPage,
	type TextItem as Piece,
} from '@llamaindex/liteparse';
import type { TextItem } from '../layout/item.ts';
import { type EnginePage, type FieldValue, itemsOfField, type PageRange } from './engine.ts';

/** What LiteParse read. */
export interface LiteParseResult {
	readonly pageCount: number;
	readonly pages: readonly EnginePage[];
}

/** What is read, and how closely. */
export interface LiteParseOptions {
	readonly maxPages: number;
	readonly ranges?: readonly PageRange[] | undefined;
	/** Places of single words as well: they mend lines that the engine joined wrongly, and double its time. */
	readonly wordBoxes?: boolean;
}

const passwordField = 1 << 13;

/**
 * Reads a PDF with LiteParse (PDFium), without OCR. The bytes must begin with `%PDF-`: anything else it would hand to LibreOffice. Throws the
 * engine's own error.
 */
export async function readWithLiteParse(
	bytes: Buffer,
	{ maxPages, ranges, wordBoxes = false }: LiteParseOptions,
): Promise<LiteParseResult> {
	const engine = new LiteParse({
		ocrEnabled: false,
		quiet: true,
		numWorkers: 1,
		outputFormat: 'json',
		continueOnPageError: true,
		preserveVerySmallText: true,
		extractFormFields: true,
		emitWordBoxes: wordBoxes,
		includeComplexity: true,
		maxPages,
		...(ranges
			? { targetPages: ranges.map(({ first, last }) => `${first}-${last}`).join(',') }
			: {}),
	});
	const result = await engine.parse(bytes);
	return { pageCount: result.totalPages, pages: result.pages.map(pageOf) };
}

function pageOf(page: ParsedPage): EnginePage {
	const { width, height, complexity } = page;
	const printed = page.textItems.flatMap(itemsOf);
	const values = (page.formFields ?? []).flatMap(fieldOf);
	return {
		page: page.pageNum,
		width,
		height,
		items: [...printed, ...values.flatMap((value) => itemsOfField(value, printed))],
		isPicture:
			complexity?.fullPageImage === true || complexity?.reasons.includes('scanned') === true,
		isDoubtful: complexity?.isGarbled === true,
	};
}

/** An item whose words do not follow each other on one line is none: now and then the engine joins the end of a line to what is beside the next. */
function itemsOf({ text, x, y, width, height, rotation = 0, words = [] }: Piece): TextItem[] {
	const whole = { text, x, y, width, height, rotation };
	const isTurned = Math.abs(rotation % 360) > 1;
	if (isTurned || !words.some((word, index) => isAway(words[index - 1], word))) return [whole];
	return words.map((word) => ({ ...word, rotation }));
}

function isAway(before: Box | undefined, word: Box): boolean {
	if (!before) return false;
	const middles = Math.abs(word.y + word.height / 2 - before.y - before.height / 2);
	const back = before.x - word.x;
	return back > 2 * word.height && middles > 0.25 * Math.min(word.height, before.height);
}

interface Box {
	readonly x: number;
	readonly y: number;
	readonly height: number;
}

function fieldOf(field: FormField): FieldValue[] {
	const { rect, type, checked, value = '', selectedOptions, fieldFlags } = field;
	if (!rect) return [];
	if (type === 'checkbox' || type === 'radio') return checked ? [{ text: '[x]', ...rect }] : [];
	if (type === 'button' || type === 'pushbutton' || type === 'signature') return [];
	if (type === 'text' && (fieldFlags & passwordField) !== 0) return [];
	const text = value === '' ? selectedOptions.join(', ') : value;
	return text.trim() === '' ? [] : [{ text, ...rect }];
}
