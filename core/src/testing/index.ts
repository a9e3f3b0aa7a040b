export type { ConformanceCase, Subject } from './conformance.ts';
export * from './create-backend.ts';
export * from './eventually.ts';
export type { JobStoreSubject } from './job-store/subject.ts';
export * from './job-store.ts';
export * from './manual-clock.ts';
export * from './silent-logger.ts';
