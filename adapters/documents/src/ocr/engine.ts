import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LiteParse } from '@llamaindex/liteparse';
import type { OcrContext } from '../formats/format.ts';
import type { TextItem } from '../layout/page.ts';
import { itemsOfWords } from './words.ts';

/** The size of a page in points, or of a picture in pixels. */
export interface PageSize {
	readonly width: number;
	readonly height: number;
}

/**
 * Reads one page of a PDF or a picture by OCR. Undefined when that fails or takes too long. `dpi` is reduced if the
 * raster would have more than 25 megapixels.
 */
export type Ocr = (bytes: Buffer, page: number, size: PageSize, dpi: number) => Promise<TextItem[] | undefined>;

const pageMs = 10_000;
const maxPixels = 25_000_000;
const minDpi = 40;

/** Opens the Tesseract of LiteParse. Undefined without OCR or the data of its languages, which is not downloaded. */
export function openOcr(context: OcrContext | undefined): Ocr | undefined {
	const tessdataPath = context && findTessdata(context.languages, context.tessdata);
	if (!context || tessdataPath === undefined) return undefined;
	let isBlocked = false;
	return async (bytes, page, size, requestedDpi) => {
		const dpi = Math.min(requestedDpi, 72 * Math.sqrt(maxPixels / (size.width * size.height)));
		if (isBlocked || !(dpi >= minDpi)) return undefined;
		context.page();
		const engine = new LiteParse({
			ocrLanguage: context.languages.join('+'),
			ocrFailureFatal: false,
			tessdataPath,
			dpi: Math.round(dpi),
			quiet: true,
			numWorkers: 1,
			outputFormat: 'json',
			maxPages: page,
			targetPages: String(page),
		});
		const timeout = Promise.withResolvers<undefined>();
		const timer = setTimeout(() => {
			// No other page is started: the engine cannot be stopped, so a second page would wait for this one.
			isBlocked = true;
			timeout.resolve(undefined);
		}, pageMs);
		const parsed = await Promise.race([engine.parse(bytes).catch(() => undefined), timeout.promise]);
		clearTimeout(timer);
		const words = parsed?.pages[0]?.textItems;
		return words && itemsOfWords(words);
	};
}

/** The folders in which Linux distributions and Homebrew install Tesseract's data. */
const debianFolder = '/usr/share/tesseract-ocr';
const folders = [
	join(debianFolder, 'tessdata'),
	'/usr/share/tessdata',
	'/usr/share/tesseract/tessdata',
	'/usr/local/share/tessdata',
	'/opt/homebrew/share/tessdata',
];

/** The folder with the data of all these languages: `folder`, or else the first one of the system. */
export function findTessdata(languages: readonly string[], folder: string | undefined): string | undefined {
	const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort().reverse() : [];
	const ofSystem = [...versions.map((version) => join(debianFolder, version, 'tessdata')), ...folders];
	const paths = folder === undefined ? ofSystem : [folder, join(folder, 'tessdata')];
	return paths.find((path) => languages.every((language) => existsSync(join(path, `${language}.traineddata`))));
}
