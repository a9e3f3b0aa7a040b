export { sqliteErrors } from './errors.ts';
export { sqliteJobs } from './jobs/backend.ts';
export { sqliteRecords } from './records/backend.ts';
