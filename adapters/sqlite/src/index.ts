export { sqliteErrors } from './errors.ts';
export { sqliteJobs } from './jobs/store.ts';
export { sqliteRecords } from './records/store.ts';
