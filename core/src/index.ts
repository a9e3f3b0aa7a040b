/**
 * The contracts: what declares plugins, backends, models, routes and services, what starts an app, the ports, and the errors.
 * What a capability is built with besides is in `@plinth/core/toolkit`.
 *
 * @packageDocumentation
 */

export { untilAborted } from './abort.ts';
export { type CreateAppOptions, createApp } from './app.ts';
export {
	type IssuedKey,
	type KeyInfo,
	type KeyRequest,
	type KeyRing,
	keyRing,
} from './auth/key-ring.ts';
export { apiKeys } from './auth/keys.ts';
export {
	type BackendContext,
	type BackendDefinition,
	type BackendFactory,
	type BackendInstance,
	defineBackend,
	type Provided,
	type Provides,
} from './backend.ts';
export {
	type ErrorDetails,
	errorFrom,
	invalidValue,
	isPlinthError,
	modelError,
	PlinthError,
	plinthError,
	unsupportedValue,
} from './coded-error.ts';
export { findConfig, type LoadedConfig, type LoadOptions } from './config/load.ts';
export type { ResolvedModel, ResolvedPool } from './config/models.ts';
export { BootError, type BootProblem, bootErrors } from './config/problem.ts';
export type { ResolvedConfig } from './config/resolve.ts';
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
} from './config.ts';
export { documentErrors } from './documents/errors.ts';
export { defineErrors, type ErrorSpec, type WireErrorType } from './error-spec.ts';
export { errors, modelErrors, valueErrors } from './errors.ts';
export type { HostContext, HostMiddleware, Mount } from './http/mount.ts';
export {
	type BinaryOptions,
	type ByteSource,
	type JsonOptions,
	Reply,
	type ServerEvent,
} from './http/reply.ts';
export {
	type BodyEncoding,
	type BodyLimits,
	type Call,
	defineRoute,
	type ResponseSpec,
	type Route,
	type RouteDefinition,
	type RouteInput,
	type RouteScope,
	type SpoolOptions,
} from './http/route.ts';
export type { ModelInfo } from './http/system.ts';
export { type FileFieldOptions, fileField, isUpload, type UploadedFile } from './http/upload.ts';
export type {
	JobAttachment,
	JobDefinition,
	JobOutcome,
	JobRun,
	JobSubmission,
	Jobs,
	StoredAttachment,
} from './jobs/contract.ts';
export { isJobId } from './jobs/ids.ts';
export type { App, AppState } from './kernel/contract.ts';
export type { UnusedModel } from './kernel/model-checks.ts';
export type { BootTree, TreeModel, TreeNeed, TreePart } from './kernel/tree.ts';
export {
	defineModel,
	defineModelKind,
	type ModelContext,
	type ModelDefinition,
	type ModelFactory,
	type ModelInstance,
	type ModelKind,
} from './model.ts';
export type { ModelHealth } from './models/circuit.ts';
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
} from './plugin.ts';
export type { Authenticator, Principal } from './ports/authenticator.ts';
export {
	type BlobContent,
	type BlobInfo,
	type BlobStore,
	type ByteRange,
	isReusableBody,
	type PutBlobOptions,
	type ReusableBody,
} from './ports/blob-store.ts';
export type { Clock } from './ports/clock.ts';
export type {
	DocumentMetadata,
	DocumentOptions,
	DocumentPage,
	DocumentReader,
	DocumentRun,
	DocumentText,
	EncodedDocument,
	PageRange,
} from './ports/document-reader.ts';
export type { BusEvent, BusFilter, EventBus } from './ports/event-bus.ts';
export type { FileSource, SourceFile } from './ports/file-source.ts';
export type {
	ForwardController,
	ForwardDispatch,
	ForwardDispatcher,
	ForwardHandler,
	ForwardRequest,
	RawBody,
} from './ports/forward.ts';
export type {
	EncodedImage,
	EncodeOptions,
	FitOptions,
	ImageCodec,
	ImageFormat,
	ImageInfo,
	ImageLayer,
	RawImage,
	TranscodedImage,
	TranscodeOptions,
} from './ports/image-codec.ts';
export type { JobCallbacks } from './ports/job-callbacks.ts';
export type { FeedEnd, FeedQuery, FeedReader, JobFeed, JobUpdate } from './ports/job-feed.ts';
export type {
	Accepted,
	ConsumeOptions,
	Consumer,
	JobQueue,
	QueueHandler,
	QueueMessage,
} from './ports/job-queue.ts';
export {
	type Claim,
	type ClaimableJob,
	type Completion,
	type CreateOptions,
	type EventPage,
	type EventQuery,
	type Heartbeat,
	type HeartbeatUpdate,
	type Idempotency,
	idempotencyKeyMs,
	type Job,
	type JobCallback,
	type JobError,
	type JobEvent,
	type JobEventType,
	type JobListOptions,
	type JobPage,
	type JobStatus,
	type JobStore,
	type NewJob,
	retryWindowMs,
	type SweepItem,
} from './ports/job-store.ts';
export type { Json, JsonObject } from './ports/json.ts';
export type { Logger } from './ports/logger.ts';
export type {
	CollectionRef,
	PutOptions,
	RecordListOptions,
	RecordStore,
	StoredRecord,
} from './ports/record-store.ts';
export type { FetchingCall, RemoteImages } from './ports/remote-images.ts';
export type { SelfCheck } from './ports/self-check.ts';
export {
	defineService,
	type Needs,
	type OptionalServiceRef,
	optional,
	type ResolvedNeeds,
	type ServiceRef,
} from './service.ts';
export { services } from './services.ts';
export { version } from './version.ts';
