/**
 * Tools that capabilities and backends are built with: `@plinth/core/toolkit`. Pictures, documents and files in requests, event streams of models,
 * bounds on work, schemas of fields, requests to addresses that clients name. The kernel asks nobody to use them.
 *
 * @packageDocumentation
 */

export { abandon, orAbort } from './abort.ts';
export { toWireError, type WireError } from './coded-error.ts';
export { nearest } from './config/nearest.ts';
export { mergedRanges } from './documents/ranges.ts';
export { type Base64, base64 } from './http/answers/base64.ts';
export { mediaTypeOf } from './http/bodies/media-type.ts';
export {
	Egress,
	type EgressAnswer,
	type EgressOptions,
	type EgressRequest,
} from './http/egress/egress.ts';
export { ForbiddenTarget, type IsAllowed } from './http/egress/guard.ts';
export type { Resolve } from './http/egress/names.ts';
export { type CodePointBounds, codePoints } from './http/validation/text.ts';
export { ownerMark, ownerState } from './owner.ts';
export { PerTenantLimit } from './per-tenant-limit.ts';
export { redact } from './redact.ts';
export { Semaphore } from './semaphore.ts';
export { checkBlobKey, isBlobKey } from './toolkit/blob-key.ts';
export { Capacity, CapacityShare } from './toolkit/capacity.ts';
export { closing } from './toolkit/closing.ts';
export { eventsWithin, type StreamBeginning } from './toolkit/events-within.ts';
export { formBoolean, formInteger, type NumberBounds } from './toolkit/form.ts';
export { listPage, listPageSchema } from './toolkit/list-page.ts';
export { awaitFirst, fromModel, toModelFailure } from './toolkit/model-stream.ts';
export {
	type FileSources,
	fileSources,
	type NamedFile,
	NamedFileError,
	NamedFiles,
} from './toolkit/named-files.ts';
export { parseUnchanged } from './toolkit/parse-unchanged.ts';
export { makePrivateDir } from './toolkit/private-dir.ts';
export { encodedDocument, type SentDocument, sentDocument } from './toolkit/sent-document.ts';
export {
	encodedImage,
	type FoundImage,
	imageFromUrl,
	probeSent,
	type SentImage,
	type SentImageOptions,
	sentImage,
} from './toolkit/sent-image.ts';
export { tryPassthrough } from './toolkit/try-passthrough.ts';
