export { documentErrors } from './errors.ts';
export type { PageSize, TextItem } from './layout/item.ts';
export { pageText } from './layout/page.ts';
export type { PageRange } from './pdf/engine.ts';
export type { DocumentMetadata } from './pdf/metadata.ts';
export { type PdfDocument, type PdfOptions, type PdfPage, readPdf } from './pdf/read.ts';
