import type { FormatReader } from './format.ts';

const office = 'application/vnd.openxmlformats-officedocument';
const open = 'application/vnd.oasis.opendocument';

const text = async () => (await import('./text.ts')).readText;
const picture = async () => (await import('../ocr/picture.ts')).readPicture;

/** Readers by the media types that `sniff` tells. Each is loaded by the first document that needs it. */
export const formats: Readonly<Record<string, () => Promise<FormatReader>>> = {
	'application/pdf': async () => (await import('../pdf/file.ts')).readPdfFile,
	[`${office}.wordprocessingml.document`]: async () => (await import('./ooxml/docx.ts')).readDocx,
	[`${office}.presentationml.presentation`]: async () => (await import('./ooxml/pptx.ts')).readPptx,
	[`${office}.spreadsheetml.sheet`]: async () => (await import('./ooxml/xlsx.ts')).readXlsx,
	[`${open}.text`]: async () => (await import('./odf/read.ts')).readOdt,
	[`${open}.presentation`]: async () => (await import('./odf/read.ts')).readOdp,
	[`${open}.spreadsheet`]: async () => (await import('./odf/read.ts')).readOds,
	'application/epub+zip': async () => (await import('./epub/read.ts')).readEpub,
	'application/rtf': async () => (await import('./rtf/read.ts')).readRtf,
	'application/msword': async () => (await import('./doc/read.ts')).readDoc,
	'application/vnd.ms-excel': async () => (await import('./xls/read.ts')).readXls,
	'application/vnd.ms-outlook': async () => (await import('./mail/msg.ts')).readMsg,
	'message/rfc822': async () => (await import('./mail/eml.ts')).readEml,
	'text/html': async () => (await import('./html/read.ts')).readHtml,
	'application/zip': async () => (await import('./zip/read.ts')).readZip,
	'text/csv': text,
	'text/tab-separated-values': text,
	'application/json': text,
	'application/xml': text,
	'text/plain': text,
	'image/png': picture,
	'image/jpeg': picture,
	'image/webp': picture,
	'image/tiff': picture,
	'image/gif': picture,
	'image/bmp': picture,
};
