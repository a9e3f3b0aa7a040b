export * from './app/requests.ts';
export * from './app/responses.ts';
export * from './app/test-app.ts';
export type { BlobStoreSubject } from './blob-store/subject.ts';
export * from './blob-store.ts';
export {
	assertClientError,
	type CaseMaker,
	type ConformanceCase,
	caseMaker,
	type Subject,
} from './conformance.ts';
export type { DocumentReaderSubject } from './document-reader/subject.ts';
export * from './document-reader.ts';
export * from './event-bus.ts';
export * from './eventually.ts';
export * from './fakes/fake-backend.ts';
export * from './fakes/forward-request.ts';
export * from './fakes/gate.ts';
export * from './fakes/scripted-model.ts';
export * from './fakes/scripted-upstream.ts';
export * from './fakes/silent-logger.ts';
export type { ImageCodecSubject } from './image-codec/subject.ts';
export * from './image-codec.ts';
export { checkAgainstModel } from './job-model/rounds.ts';
export type { JobStoreSubject } from './job-store/subject.ts';
export * from './job-store.ts';
export * from './manual-clock.ts';
export * from './record-store.ts';
export type { StandaloneOptions } from './standalone/context.ts';
export * from './standalone/create-backend.ts';
export * from './standalone/create-model.ts';
