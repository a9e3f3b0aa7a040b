import { LiteParse } from '@llamaindex/liteparse';
import type { OcrContext } from '../formats/format.ts';
import type { PageSize, TextItem } from '../layout/item.ts';
import { findTessdata } from './tessdata.ts';
import { itemsOfWords } from './words.ts';

/** A page as OCR reads it. */
export interface ReadPicture extends PageSize {
	readonly items: readonly TextItem[];
}

/**
 * Reads one page of a document, a PDF or a picture, by OCR. Undefined where that takes too long or fails. `dpi` is cut so that the raster has at
 * most 25 megapixels.
 */
export type Ocr = (bytes: Buffer, page: number, size: PageSize, dpi: number) => Promise<ReadPicture | undefined>;

const pageMs = 10_000;
const maxPixels = 25_000_000;
const leastDpi = 40;

/** Tesseract as LiteParse has it built in. Undefined without OCR or the data of its languages: nothing is downloaded. */
export function openOcr(context: OcrContext | undefined): Ocr | undefined {
	const tessdata = context && findTessdata(context.languages, context.tessdata);
	if (!context || tessdata === undefined) return undefined;
	let isSpent = false;
	return async (bytes, page, size, wanted) => {
		const dpi = Math.min(wanted, 72 * Math.sqrt(maxPixels / (size.width * size.height)));
		if (isSpent || !(dpi >= leastDpi)) return undefined;
		context.page();
		const engine = new LiteParse({
			ocrEnabled: true,
			ocrLanguage: context.languages.join('+'),
			ocrFailureFatal: false,
			tessdataPath: tessdata,
			dpi: Math.round(dpi),
			quiet: true,
			numWorkers: 1,
			outputFormat: 'json',
			maxPages: page,
			targetPages: String(page),
		});
		const found = await within(pageMs, engine.parse(bytes));
		// The engine cannot be stopped: a second page would wait for the first one.
		isSpent = found === 'late';
		const read = found === 'late' || found === undefined ? undefined : found.pages[0];
		return read && { width: read.width, height: read.height, items: itemsOfWords(read.textItems) };
	};
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | 'late' | undefined> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<'late'>((resolve) => {
		timer = setTimeout(resolve, ms, 'late');
	});
	try {
		return await Promise.race([work, late]);
	} catch {
		// The page stays a picture.
		return undefined;
	} finally {
		clearTimeout(timer);
	}
}
