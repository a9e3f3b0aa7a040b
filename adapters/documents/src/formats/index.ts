import type { FormatReader } from './format.ts';

const office = 'application/vnd.openxmlformats-officedocument';
const open = 'application/vnd.oasis.opendocument';

const text = async () => (await import('./text/text.ts')).readText;
const texts = [
	'text/plain',
	'text/markdown',
	'text/csv',
	'text/tab-separated-values',
	'application/json',
	'application/xml',
];
const picture = async () => (await import('../ocr/picture.ts')).readPicture;

/** Readers by the media types of `sniff`. Each is loaded by the first document that needs it. */
export const formats: Readonly<Record<string, () => Promise<FormatReader>>> = {
	'application/pdf': async () => (await import('../pdf/read.ts')).readPdf,
	[`${office}.wordprocessingml.document`]: async () => (await import('./office/read.ts')).readDocx,
	[`${office}.presentationml.presentation`]: async () => (await import('./office/read.ts')).readPptx,
	[`${office}.spreadsheetml.sheet`]: async () => (await import('./sheets.ts')).readXlsx,
	[`${open}.text`]: async () => (await import('./office/read.ts')).readOdt,
	[`${open}.presentation`]: async () => (await import('./office/read.ts')).readOdp,
	[`${open}.spreadsheet`]: async () => (await import('./sheets.ts')).readOds,
	'application/epub+zip': async () => (await import('./office/epub.ts')).readEpub,
	'application/rtf': async () => (await import('./office/rtf.ts')).readRtf,
	'application/msword': async () => (await import('./doc.ts')).readDoc,
	'application/vnd.ms-excel': async () => (await import('./sheets.ts')).readXls,
	'application/vnd.ms-outlook': async () => (await import('./mail.ts')).readMsg,
	'message/rfc822': async () => (await import('./mail.ts')).readEml,
	'text/html': async () => (await import('./office/html.ts')).readHtml,
	'application/zip': async () => (await import('./zip/read.ts')).readZip,
	...Object.fromEntries(texts.map((type) => [type, text])),
	...Object.fromEntries(['png', 'jpeg', 'webp', 'tiff', 'gif', 'bmp'].map((kind) => [`image/${kind}`, picture])),
};
