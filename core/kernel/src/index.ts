/**
 * The contracts: declarations of plugins, backends, models, routes and services, the start of an app, the ports, and
 * the errors. Helpers to implement a capability are in `@plinth/toolkit`.
 *
 * @packageDocumentation
 */

export { type CreateAppOptions, createApp } from './app.ts';
export { abandon, orAbort, untilAborted } from './contract/abort.ts';
export * from './contract/app.ts';
export * from './contract/backend.ts';
export * from './contract/config.ts';
export * from './contract/errors/coded-error.ts';
export * from './contract/errors/errors.ts';
export { redact } from './contract/errors/redact.ts';
export type { Factory, Instance, InstanceKind, PartContext } from './contract/factory.ts';
export {
	type Answer,
	type Base64,
	type BinaryOptions,
	type ByteSource,
	Reply,
	type Sendable,
	type ServerEvent,
} from './contract/http/reply.ts';
export * from './contract/http/route.ts';
export * from './contract/http/upload.ts';
export * from './contract/jobs/dump.ts';
export * from './contract/jobs/job-store.ts';
export * from './contract/jobs/jobs.ts';
export type { JobSettings } from './contract/jobs/settings.ts';
export * from './contract/jobs/times.ts';
export * from './contract/model.ts';
export type {
	ModelBindingOptions,
	ModelGroupConfig,
	ModelPool,
	ResolvedGroup,
	ResolvedModel,
	ResolvedPool,
} from './contract/model-settings.ts';
export * from './contract/plugin.ts';
export * from './contract/ports/authenticator.ts';
export * from './contract/ports/blob-store.ts';
export * from './contract/ports/clock.ts';
export * from './contract/ports/event-bus.ts';
export * from './contract/ports/forward.ts';
export * from './contract/ports/json.ts';
export * from './contract/ports/logger.ts';
export * from './contract/ports/record-store.ts';
export * from './contract/ports/self-check.ts';
export type { LogConfig, ServerConfig } from './contract/server-settings.ts';
export * from './contract/service.ts';
export * from './contract/version.ts';
export { nearest } from './contract/words.ts';
export { BootError, type BootProblem, bootErrors, bootProblem, type ProblemPlace } from './engine/boot/problem.ts';
export { importFrom, type PackageFolders } from './engine/config/import-from.ts';
export { type ResolvedConfig, type ResolvedPlugin, resolveConfig } from './engine/config/resolve.ts';
export { base64 } from './http/answers/base64.ts';
export type { ResumableEvent } from './http/answers/sse.ts';
export { DataUrlError, decodeDataUrl, decodeFileData, isAddress } from './http/bodies/files/data-url.ts';
export { ownerMark, ownerState } from './http/bodies/files/leftovers.ts';
export { mediaTypeOf } from './http/bodies/files/spool.ts';
export { codePoints } from './http/validation/validate.ts';
export { type BlobOwner, claimBlobs, ownerKey, ownerOfBlobs, ownerRemedy } from './jobs/blobs.ts';
export { isJobId } from './jobs/jobs.ts';
export type { JobState, JobStep, StoreTime } from './jobs/state.ts';
export * as jobState from './jobs/state.ts';
