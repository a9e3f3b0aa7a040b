export { type MigrationResult, migratePostgres } from './engine/migrate.ts';
export { postgresErrors } from './errors.ts';
export { postgresEvents } from './events/bus.ts';
export { postgresJobs } from './jobs/backend.ts';
export { postgresRecords } from './records/store.ts';
