import type { Authenticator } from './ports/authenticator.ts';
import type { BlobStore } from './ports/blob-store.ts';
import type { Clock } from './ports/clock.ts';
import type { DocumentReader } from './ports/document-reader.ts';
import type { EventBus } from './ports/event-bus.ts';
import type { ImageCodec } from './ports/image-codec.ts';
import type { JobQueue } from './ports/job-queue.ts';
import type { JobStore } from './ports/job-store.ts';
import type { Logger } from './ports/logger.ts';
import type { RecordStore } from './ports/record-store.ts';
import { defineService } from './service.ts';

/** The services that the kernel names. Backends provide them; `clock` and `log` come with the kernel. */
export const services = {
	jobs: defineService<JobStore>('core.jobs'),
	queue: defineService<JobQueue>('core.queue'),
	records: defineService<RecordStore>('core.records'),
	blobs: defineService<BlobStore>('core.blobs'),
	events: defineService<EventBus>('core.events'),
	images: defineService<ImageCodec>('core.images'),
	documents: defineService<DocumentReader>('core.documents'),
	authenticator: defineService<Authenticator>('core.authenticator'),
	clock: defineService<Clock>('core.clock'),
	log: defineService<Logger>('core.log'),
} as const;
