import type { FormatReader } from '../formats/format.ts';
import { openOcr } from '../ocr/engine.ts';
import { readPdf } from './read.ts';

/** Reads a PDF: pages with columns one after the other, rows of tables on one line, pictures by OCR where there is any. */
export const readPdfFile: FormatReader = async (bytes, context) => {
	const document = await readPdf(bytes, {
		pages: context.options.pages,
		ocr: openOcr(context.ocr),
		progress: (done, of) => context.progress(done, of),
		share: context.share,
	});
	return { mediaType: 'application/pdf', ...document };
};
