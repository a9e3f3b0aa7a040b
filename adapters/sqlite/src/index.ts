export { sqliteErrors } from './errors.ts';
export { sqliteJobs } from './jobs/backend.ts';
export { sqliteQueue } from './queue/backend.ts';
export { sqliteRecords } from './records/backend.ts';
