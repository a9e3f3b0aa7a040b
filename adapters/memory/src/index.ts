export { memoryBlobs } from './blobs.ts';
export { memoryEvents } from './events.ts';
export { memoryJobs } from './jobs.ts';
export { memoryQueue } from './queue.ts';
export { memoryRecords } from './records.ts';
