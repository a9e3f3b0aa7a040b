import { LiteParse } from '@llamaindex/liteparse';
import type { FormatReader, OcrContext } from '../formats/format.ts';
import { pictureType } from '../formats/sniff/pictures.ts';
import type { PageSize } from '../layout/item.ts';
import { pageText } from '../layout/page.ts';
import { documentError } from '../refusal.ts';
import { openOcr } from './engine.ts';
import { pictureSize } from './picture-size.ts';

const maxPixels = 50_000_000;
/** Small print of small pictures is read better when they are enlarged. */
const smallPixels = 2_000_000;

/** Reads a picture (PNG, JPEG, WebP, TIFF, GIF, BMP) by OCR: one page, empty and marked as unread where there is no OCR. */
export const readPicture: FormatReader = async (bytes, context) => {
	const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const pixels = pictureSize(file);
	if (!pixels) throw documentError('E_DOCUMENT_UNREADABLE', { message: 'The picture is damaged.' });
	if (pixels.width * pixels.height > maxPixels)
		throw documentError('E_DOCUMENT_TOO_LARGE', {
			message: `The picture has ${pixels.width} x ${pixels.height} pixels; at most ${maxPixels} are read.`,
		});
	const text = await textOf(file, pixels, context.ocr);
	const page = { page: 1, text: text ?? '', needsOcr: text === undefined };
	context.progress(1, 1);
	return { mediaType: pictureType(bytes) ?? 'image/png', pageCount: 1, pages: [page] };
};

async function textOf(file: Buffer, pixels: PageSize, context: OcrContext | undefined): Promise<string | undefined> {
	const ocr = openOcr(context);
	if (!ocr) return undefined;
	const size = await printedSize(file);
	const scale = pixels.width * pixels.height < smallPixels ? 2 : 1;
	const read = await ocr(file, 1, size, (72 * scale * pixels.width) / size.width);
	return read && pageText(read.items, read);
}

/** In points, as the engine takes it from the picture's density. */
async function printedSize(file: Buffer): Promise<PageSize> {
	const engine = new LiteParse({
		ocrEnabled: false,
		quiet: true,
		outputFormat: 'json',
		maxPages: 1,
	});
	const { pages } = await engine.parse(file).catch((cause: unknown) => {
		throw documentError('E_DOCUMENT_UNREADABLE', { message: 'The picture is damaged.', cause });
	});
	return pages[0] ?? { width: 0, height: 0 };
}
