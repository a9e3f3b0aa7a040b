export type { ParsedAttachment } from './answer/result.ts';
export { parse } from './plugin.ts';
export { maxChars } from './request/fields.ts';
export { pageRanges } from './request/pages.ts';
export { type ParseOrder, type ParseRun, parseDocument } from './work/parse-document.ts';
