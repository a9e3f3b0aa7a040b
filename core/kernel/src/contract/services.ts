import type { JobStore } from './jobs/job-store.ts';
import type { JobKinds } from './jobs/jobs.ts';
import type { Authenticator } from './ports/authenticator.ts';
import type { BlobStore } from './ports/blob-store.ts';
import type { Clock } from './ports/clock.ts';
import type { EventBus } from './ports/event-bus.ts';
import type { Logger } from './ports/logger.ts';
import type { RecordStore } from './ports/record-store.ts';
import { defineService } from './service.ts';

/** The services that the kernel names. Backends provide them; `clock`, `log` and `jobKinds` come with the kernel. */
export const services = {
	jobs: defineService<JobStore>('core.jobs'),
	records: defineService<RecordStore>('core.records'),
	blobs: defineService<BlobStore>('core.blobs'),
	events: defineService<EventBus>('core.events'),
	jobKinds: defineService<JobKinds>('core.jobKinds'),
	authenticator: defineService<Authenticator>('core.authenticator'),
	clock: defineService<Clock>('core.clock'),
	log: defineService<Logger>('core.log'),
} as const;
