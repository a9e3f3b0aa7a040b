import { LiteParse } from '@llamaindex/liteparse';
import { imageSize } from 'image-size';
import type { FormatReader, OcrContext } from '../formats/format.ts';
import { pictureType } from '../formats/sniff/pictures.ts';
import { pageText } from '../layout/page.ts';
import { documentError, type Refusal } from '../refusal.ts';
import { openOcr, type PageSize } from './engine.ts';

const maxPixels = 50_000_000;
/** Smaller pictures are enlarged, because OCR then reads small print better. */
const smallPixels = 2_000_000;

/** Reads a picture (PNG, JPEG, WebP, TIFF, GIF, BMP) by OCR: one page, empty and marked as unread without OCR. */
export const readPicture: FormatReader = async (bytes, context) => {
	const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const pixels = pictureSize(file);
	if (pixels.width * pixels.height > maxPixels) {
		const message = `The picture has ${pixels.width} x ${pixels.height} pixels; at most ${maxPixels} are read.`;
		throw documentError('E_DOCUMENT_TOO_LARGE', { message });
	}
	const text = await textOf(file, pixels, context.ocr);
	const page = { page: 1, text: text ?? '', needsOcr: text === undefined };
	context.progress(1, 1);
	return { mediaType: pictureType(bytes) ?? 'image/png', pageCount: 1, pages: [page] };
};

/** The size in pixels, from the header. */
function pictureSize(file: Buffer): PageSize {
	try {
		// A copy, because the library would read beyond the end of a small buffer that shares its memory with others.
		const { width, height } = imageSize(Uint8Array.from(file));
		if (width > 0 && height > 0) return { width, height };
	} catch (cause) {
		throw damaged(cause);
	}
	throw damaged();
}

async function textOf(file: Buffer, pixels: PageSize, context: OcrContext | undefined): Promise<string | undefined> {
	const ocr = openOcr(context);
	if (!ocr) return undefined;
	const size = await printedSize(file);
	const scale = pixels.width * pixels.height < smallPixels ? 2 : 1;
	const items = await ocr(file, 1, size, (72 * scale * pixels.width) / size.width);
	return items && pageText(items);
}

/** The size in points, which the engine computes from the density of the picture. */
async function printedSize(file: Buffer): Promise<PageSize> {
	const engine = new LiteParse({ ocrEnabled: false, quiet: true, outputFormat: 'json', maxPages: 1 });
	const { pages } = await engine.parse(file).catch((cause: unknown) => {
		throw damaged(cause);
	});
	return pages[0] ?? { width: 0, height: 0 };
}

function damaged(cause?: unknown): Refusal {
	return documentError('E_DOCUMENT_UNREADABLE', { message: 'The picture is damaged.', cause });
}
