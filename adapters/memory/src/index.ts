export { memoryBlobs } from './blobs.ts';
export { memoryEvents } from './events.ts';
export { memoryJobs } from './job-store.ts';
export { memoryRecords } from './records.ts';
