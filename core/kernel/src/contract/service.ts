import type { JobStore } from './jobs/job-store.ts';
import type { JobKinds } from './jobs/jobs.ts';
import type { Authenticator } from './ports/authenticator.ts';
import type { BlobStore } from './ports/blob-store.ts';
import type { Clock } from './ports/clock.ts';
import type { EventBus } from './ports/event-bus.ts';
import type { Logger } from './ports/logger.ts';
import type { RecordStore } from './ports/record-store.ts';

/** A typed name for something that one part of a deployment provides and another needs. The id alone identifies it. */
export interface ServiceRef<T> {
	readonly $kind: 'plinth.service';
	readonly id: string;
	readonly optional: boolean;
	/** Holds the type `T` for the compiler; never set. */
	readonly $type?: T;
}

/** The services that a plugin, backend or model needs: service refs by local names. */
export type Needs = Readonly<Record<string, ServiceRef<unknown>>>;

/** The services for {@link Needs}, under the same names. */
export type ResolvedNeeds<N extends Needs> = {
	readonly [K in keyof N]: N[K] extends ServiceRef<infer T>
		? N[K] extends { readonly optional: true }
			? T | undefined
			: T
		: never;
};

/** Declares a service. `id` is `<owner>.<name>`, for example `core.blobs`. */
export function defineService<T>(id: string): ServiceRef<T> & { readonly optional: false } {
	return { $kind: 'plinth.service', id, optional: false };
}

/** Makes a need optional: without a provider, its consumer receives `undefined`. */
export function optional<T>(ref: ServiceRef<T>): ServiceRef<T> & { readonly optional: true } {
	return { $kind: 'plinth.service', id: ref.id, optional: true };
}

/** The services that the kernel defines. The kernel provides `clock`, `log` and `jobKinds`; backends the others. */
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
