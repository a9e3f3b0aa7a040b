export { parse } from './plugin.ts';
export { maxChars } from './request/fields.ts';
export { pageRanges } from './request/pages.ts';
export type { ParsedAttachment } from './response/result.ts';
export { type ParseDocumentOptions, type ParseRun, parseDocument } from './work/parse-document.ts';
