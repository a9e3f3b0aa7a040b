/**
 * Building blocks of capabilities and backends: pictures, documents and files in requests, event streams of
 * models, limits on concurrent work, schemas of fields, and requests to addresses that clients name. The
 * kernel does not depend on them.
 *
 * @packageDocumentation
 */

export { mergedRanges, pagesWithin } from './documents/ranges.ts';
export { remoteImages } from './egress/backend.ts';
export * from './egress/egress.ts';
export { FetchedImages } from './egress/fetched-images.ts';
export { ForbiddenTarget, type IsAllowed } from './egress/guard.ts';
export type { Resolve } from './egress/names.ts';
export { mediaError, mediaErrors, storageError } from './errors.ts';
export { LocalBus } from './events/local-bus.ts';
export { checkBlobKey, isBlobKey } from './files/blob-key.ts';
export { makePrivateDir } from './files/private-dir.ts';
export { redirectToBlob } from './files/redirect.ts';
export {
	type FileSources,
	fileSources,
	type ReferencedFile,
	ReferencedFileError,
	ReferencedFiles,
} from './files/referenced-files.ts';
export { documentFromField, encodedDocument, type SentDocument } from './files/sent-document.ts';
export * from './files/sent-image.ts';
export { Capacity, CapacityShare } from './limits/capacity.ts';
export { PerTenantLimit } from './limits/per-tenant-limit.ts';
export { Semaphore } from './limits/semaphore.ts';
export { isSignedName, type SigningKey, signingKey, signName } from './links/signing-key.ts';
export * from './ports/document-reader.ts';
export type { FileSource, SourceFile } from './ports/file-source.ts';
export * from './ports/image-codec.ts';
export type { JobCallbacks } from './ports/job-callbacks.ts';
export type { FeedEndReason, FeedQuery, FeedReader, JobFeed, JobUpdate } from './ports/job-feed.ts';
export type { FetchingCall, RemoteImages } from './ports/remote-images.ts';
export type { SpeechReader } from './ports/speech-reader.ts';
export { formBoolean, formInteger, type NumberBounds } from './requests/form.ts';
export * from './requests/list-page.ts';
export { parseUnchanged } from './requests/parse-unchanged.ts';
export { type RequestFor, tryPassthrough } from './requests/try-passthrough.ts';
export { videoAbilityOptions, videoSeconds, videoSizes } from './requests/video-options.ts';
export { mediaServices } from './services.ts';
export { awaitFirst, fromModel, toModelFailure } from './streams/model-stream.ts';
export { type StreamStart, startEventStream } from './streams/start-event-stream.ts';
export { withCleanup } from './streams/with-cleanup.ts';
