export { memoryBlobs } from './blobs.ts';
export { memoryEvents } from './events.ts';
export { memoryJobs } from './jobs.ts';
export { memoryRecords } from './records.ts';
