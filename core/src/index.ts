export { letGo, orAbort, untilAborted } from './abort.ts';
export { type CreateAppOptions, createApp } from './app.ts';
export {
	type IssuedKey,
	type KeyInfo,
	type KeyRequest,
	type KeyRing,
	keyRing,
} from './auth/key-ring.ts';
export { apiKeys } from './auth/keys.ts';
export * from './backend.ts';
export { Capacity, type CapacityShare } from './capacity.ts';
export * from './coded-error.ts';
export {
	configFileNames,
	findConfig,
	type LoadedConfig,
	type LoadOptions,
	loadConfig,
} from './config/load.ts';
export type { ResolvedModel, ResolvedPool } from './config/models.ts';
export { BootError, type BootProblem, bootErrors } from './config/problem.ts';
export type { ResolvedConfig } from './config/resolve.ts';
export * from './config.ts';
export { documentErrors } from './document-errors.ts';
export { mergedRanges } from './documents/ranges.ts';
export * from './error-spec.ts';
export * from './errors.ts';
export { type Base64, base64 } from './http/base64.ts';
export {
	Egress,
	type EgressAnswer,
	type EgressOptions,
	type EgressRequest,
} from './http/egress/egress.ts';
export { ForbiddenTarget, type IsAllowed } from './http/egress/guard.ts';
export type { Resolve } from './http/egress/names.ts';
export { formBoolean, formInteger, type NumberBounds } from './http/form.ts';
export { listPage, listPageSchema } from './http/list-page.ts';
export { mediaTypeOf } from './http/media-type.ts';
export type { Mount } from './http/mount.ts';
export {
	type FileSources,
	fileSources,
	type NamedFile,
	NamedFileError,
	NamedFiles,
} from './http/named-files.ts';
export * from './http/reply.ts';
export * from './http/route.ts';
export * from './http/sent-document.ts';
export * from './http/sent-image.ts';
export type { ModelInfo } from './http/system.ts';
export { type CodePointBounds, codePoints } from './http/text.ts';
export * from './http/upload.ts';
export type * from './jobs/contract.ts';
export { isJobId } from './jobs/ids.ts';
export type { App, AppState } from './kernel/contract.ts';
export type { UnusedModel } from './kernel/model-checks.ts';
export type { BootTree, TreeNeed, TreePart } from './kernel/tree.ts';
export * from './model.ts';
export { begun, fromModel, toModelFailure } from './model-stream.ts';
export type { ModelHealth } from './models/circuit.ts';
export { closing } from './models/closing.ts';
export { eventsWithin, type StreamBeginning } from './models/events-within.ts';
export { takenAsSent } from './models/taken-as-sent.ts';
export { throughLane } from './models/through-lane.ts';
export { ownerMark, ownerState } from './owner.ts';
export * from './plugin.ts';
export type * from './ports/authenticator.ts';
export * from './ports/blob-store.ts';
export type * from './ports/clock.ts';
export type * from './ports/document-reader.ts';
export type * from './ports/event-bus.ts';
export type * from './ports/file-source.ts';
export type * from './ports/forward.ts';
export type * from './ports/image-codec.ts';
export type * from './ports/job-callbacks.ts';
export type * from './ports/job-feed.ts';
export type * from './ports/job-queue.ts';
export * from './ports/job-store.ts';
export type * from './ports/json.ts';
export type * from './ports/logger.ts';
export type * from './ports/record-store.ts';
export type * from './ports/remote-images.ts';
export type * from './ports/self-check.ts';
export { makePrivateDir } from './private-dir.ts';
export { redact } from './redact.ts';
export { Semaphore } from './semaphore.ts';
export * from './service.ts';
export * from './services.ts';
export { TenantTurns } from './tenant-turns.ts';
export { version } from './version.ts';
