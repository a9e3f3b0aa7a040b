/**
 * The contracts: what declares plugins, backends, models, routes and services, what starts an app, the ports, and
 * the errors. What a capability is built with besides is in `@plinth/toolkit`.
 *
 * @packageDocumentation
 */

export { type CreateAppOptions, createApp } from './app.ts';
export { abandon, orAbort, untilAborted } from './contract/abort.ts';
export type { App, AppState } from './contract/app.ts';
export {
	type BackendContext,
	type BackendDefinition,
	type BackendFactory,
	type BackendInstance,
	defineBackend,
	type Provided,
	type Provides,
} from './contract/backend.ts';
export type { BootTree, TreeModel, TreeNeed, TreePart, UnusedModel } from './contract/boot-tree.ts';
export {
	type AppConfig,
	defineConfig,
	env,
	type ListingOptions,
	type LogConfig,
	type ModelBinding,
	type ModelBindingOptions,
	type ModelPool,
	type NamedUse,
	type ServerConfig,
} from './contract/config.ts';
export {
	type ErrorDetails,
	errorFrom,
	invalidValue,
	isPlinthError,
	modelError,
	PlinthError,
	plinthError,
	toWireError,
	unsupportedValue,
	type WireError,
} from './contract/errors/coded-error.ts';
export { defineErrors, type ErrorSpec, type WireErrorType } from './contract/errors/error-spec.ts';
export { errors, modelErrors, valueErrors } from './contract/errors/errors.ts';
export { redact } from './contract/errors/redact.ts';
export type { Middleware } from './contract/http/middleware.ts';
export type { HostContext, HostMiddleware, Mount } from './contract/http/mount.ts';
export {
	type Answer,
	type Base64,
	type BinaryOptions,
	type ByteSource,
	type JsonOptions,
	Reply,
	type Sendable,
	type ServerEvent,
} from './contract/http/reply.ts';
export {
	type BodyEncoding,
	type BodyLimits,
	type Call,
	defineRoute,
	type HandlerResult,
	type ResponseSpec,
	type Route,
	type RouteDefinition,
	type RouteInput,
	type RouteScope,
	type SpoolOptions,
} from './contract/http/route.ts';
export {
	type FileFieldOptions,
	fileField,
	isUpload,
	maxFileBytes,
	type UploadedFile,
} from './contract/http/upload.ts';
export type {
	EventPage,
	EventQuery,
	JobEvent,
	JobEventType,
} from './contract/jobs/job-events.ts';
export type {
	Claim,
	Completion,
	CreateOptions,
	Heartbeat,
	HeartbeatUpdate,
	Idempotency,
	Job,
	JobCallback,
	JobError,
	JobListOptions,
	JobPage,
	JobStatus,
	JobStore,
	NewJob,
	SweepItem,
	TakeOptions,
} from './contract/jobs/job-store.ts';
export type {
	JobAttachment,
	JobDefinition,
	JobKindSettings,
	JobKinds,
	JobOutcome,
	JobRetry,
	JobRun,
	JobSubmission,
	Jobs,
	StoredAttachment,
} from './contract/jobs/jobs.ts';
export type { JobSettings } from './contract/jobs/settings.ts';
export {
	idempotencyKeyMs,
	modelWaitMs,
	offerInstant,
	offerMs,
	retryWindowMs,
} from './contract/jobs/times.ts';
export {
	type AbilityType,
	type AnyModel,
	defineModel,
	defineModelKind,
	type ModelContext,
	type ModelDefinition,
	type ModelFactory,
	type ModelHealth,
	type ModelInfo,
	type ModelInstance,
	type ModelKind,
	type ModelShape,
	type ModelShapeOf,
} from './contract/model.ts';
export {
	type BoundModel,
	definePlugin,
	type ModelCall,
	type ModelCaller,
	type Models,
	type PluginContext,
	type PluginDefinition,
	type PluginFactory,
	type PluginInstance,
	type SetupResult,
} from './contract/plugin.ts';
export type { Authenticator, Principal } from './contract/ports/authenticator.ts';
export {
	type BlobContent,
	type BlobInfo,
	type BlobStore,
	type ByteRange,
	isReusableBody,
	type MovableFile,
	type PutBlobOptions,
	type ReusableBody,
} from './contract/ports/blob-store.ts';
export type { Clock } from './contract/ports/clock.ts';
export type { BusEvent, BusFilter, EventBus } from './contract/ports/event-bus.ts';
export type {
	ForwardController,
	ForwardDispatch,
	ForwardDispatcher,
	ForwardHandler,
	ForwardRequest,
	RawBody,
} from './contract/ports/forward.ts';
export type { Json, JsonObject } from './contract/ports/json.ts';
export type { Logger } from './contract/ports/logger.ts';
export type {
	CollectionRef,
	PutOptions,
	RecordListOptions,
	RecordStore,
	StoredRecord,
} from './contract/ports/record-store.ts';
export type { SelfCheck } from './contract/ports/self-check.ts';
export {
	defineService,
	type Needs,
	type OptionalServiceRef,
	optional,
	type ResolvedNeeds,
	type ServiceRef,
} from './contract/service.ts';
export { services } from './contract/services.ts';
export { version } from './contract/version.ts';
export { BootError, type BootProblem, bootErrors } from './engine/boot/problem.ts';
export { findConfig, type LoadedConfig, type LoadOptions } from './engine/config/load.ts';
export { nearest } from './engine/config/nearest.ts';
export type { ResolvedConfig } from './engine/config/resolve.ts';
export { base64 } from './http/answers/base64.ts';
export type { ResumableEvent } from './http/answers/sse.ts';
export {
	DataUrlError,
	decodeDataUrl,
	decodeFileData,
	isAddress,
} from './http/bodies/files/data-url.ts';
export { mediaTypeOf } from './http/bodies/files/media-type.ts';
export { ownerMark, ownerState } from './http/bodies/files/process-mark.ts';
export { type CodePointBounds, codePoints } from './http/validation/text.ts';
export { jobDiagram } from './jobs/diagram.ts';
export { isJobId } from './jobs/ids.ts';
export type { AttemptEnding, JobState, JobStep, StoreTime } from './jobs/state.ts';
export * as jobState from './jobs/state.ts';
export type { ResolvedModel, ResolvedPool } from './models/binding.ts';
