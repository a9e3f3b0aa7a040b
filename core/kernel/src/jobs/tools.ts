import type { JobStore } from '../contract/jobs/job-store.ts';
import type { JobSettings } from '../contract/jobs/settings.ts';
import type { BlobStore } from '../contract/ports/blob-store.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { EventBus } from '../contract/ports/event-bus.ts';
import type { Logger } from '../contract/ports/logger.ts';

/** What every part of the jobs works with. */
export interface JobTools {
	readonly store: JobStore;
	readonly blobs: BlobStore;
	readonly bus: EventBus;
	readonly clock: Clock;
	readonly log: Logger;
	readonly settings: JobSettings;
}
