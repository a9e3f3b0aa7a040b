import type { Authenticator } from './ports/authenticator.ts';
import type { BlobStore } from './ports/blob-store.ts';
import type { Clock } from './ports/clock.ts';
import type { DocumentReader } from './ports/document-reader.ts';
import type { EventBus } from './ports/event-bus.ts';
import type { FileSource } from './ports/file-source.ts';
import type { ImageCodec } from './ports/image-codec.ts';
import type { JobCallbacks } from './ports/job-callbacks.ts';
import type { JobFeed } from './ports/job-feed.ts';
import type { JobQueue } from './ports/job-queue.ts';
import type { JobStore } from './ports/job-store.ts';
import type { Logger } from './ports/logger.ts';
import type { RecordStore } from './ports/record-store.ts';
import type { RemoteImages } from './ports/remote-images.ts';
import { defineService } from './service.ts';

/**
 * The services that the kernel names. Backends provide them, and plugins `files` and `callbacks`; `clock` and `log` come with the kernel, and so do
 * `feed`, where there are `jobs` and `events`, and `remoteImages`, where the operator lets pictures be fetched and no backend provides it.
 */
export const services = {
	jobs: defineService<JobStore>('core.jobs'),
	queue: defineService<JobQueue>('core.queue'),
	records: defineService<RecordStore>('core.records'),
	blobs: defineService<BlobStore>('core.blobs'),
	events: defineService<EventBus>('core.events'),
	images: defineService<ImageCodec>('core.images'),
	documents: defineService<DocumentReader>('core.documents'),
	files: defineService<FileSource>('core.files'),
	remoteImages: defineService<RemoteImages>('core.remoteImages'),
	callbacks: defineService<JobCallbacks>('core.callbacks'),
	feed: defineService<JobFeed>('core.feed'),
	authenticator: defineService<Authenticator>('core.authenticator'),
	clock: defineService<Clock>('core.clock'),
	log: defineService<Logger>('core.log'),
} as const;
