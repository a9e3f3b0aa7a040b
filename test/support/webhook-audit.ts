import type { WireVideo } from './client.ts';
import type { RequestedJob } from './webhook-jobs.ts';
import type { Arrival, WebhookReceiver } from './webhook-receiver.ts';

/** A completed or failed job as listed by a server, with its tenant. */
export type EndedVideo = WireVideo & { readonly tenant: string };

/** The input of the audit. */
export interface AuditInput {
	readonly receiver: WebhookReceiver;
	/** The event types that each endpoint subscribes to, by the endpoint's path `/<tenant>/…`. */
	readonly subscriptions: Readonly<Record<string, readonly string[]>>;
	readonly requested: readonly RequestedJob[];
	/** All jobs of all tenants. Each is completed or failed. */
	readonly videos: readonly EndedVideo[];
}

/** The target and the event of a delivery: `<path> <type> <job>`. */
export function deliveryKey({ path, event }: Arrival): string {
	return `${path} ${event.type} ${event.data.id}`;
}

/**
 * The deliveries that must arrive: one per job that was not deleted, for each target that subscribes to its event. It
 * does not matter whether the client received the 201.
 */
export function expectedDeliveries({ subscriptions, requested, videos }: AuditInput): readonly string[] {
	const callbacks = new Map(requested.map(({ prompt, callback }) => [prompt, callback]));
	const removed = new Set(requested.filter(({ isRemoved }) => isRemoved).map(({ id }) => id));
	return videos
		.filter(({ id }) => !removed.has(id))
		.flatMap(({ id, tenant, status, prompt }) => {
			const type = `video.${status}`;
			const endpoints = Object.entries(subscriptions)
				.filter(([path, types]) => path.startsWith(`/${tenant}/`) && types.includes(type))
				.map(([path]) => path);
			const callback = callbacks.get(prompt ?? '');
			return [...endpoints, ...(callback ? [callback] : [])].map((path) => `${path} ${type} ${id}`);
		});
}

/** Expected deliveries that the receiver has not accepted. */
export function missingDeliveries(input: AuditInput): readonly string[] {
	const { arrivals } = input.receiver;
	const accepted = new Set(arrivals.filter(({ isAccepted }) => isAccepted).map(deliveryKey));
	return expectedDeliveries(input).filter((key) => !accepted.has(key));
}

/** Jobs that were acknowledged and not deleted, but are not listed. */
export function lostJobs({ requested, videos }: AuditInput): readonly RequestedJob[] {
	const listed = new Set(videos.map(({ id }) => id));
	return requested.filter(({ id, isRemoved }) => id !== undefined && !isRemoved && !listed.has(id));
}

/** Jobs with more than one event, and events that were sent for more than one job. */
export function inconsistentIds({ receiver }: Pick<AuditInput, 'receiver'>): readonly string[] {
	const events = new Map<string, string>();
	const ends = new Map<string, string>();
	return receiver.arrivals.flatMap(({ event: { id, type, data } }) => {
		const end = `${type} ${data.id}`;
		const isSame = (events.get(data.id) ?? id) === id && (ends.get(id) ?? end) === end;
		events.set(data.id, id);
		ends.set(id, end);
		return isSame ? [] : [`${id} ${end}`];
	});
}

/**
 * Deliveries to a wrong target: a job of another tenant, a job with another callback, or an event type without a
 * subscription.
 */
export function misdirectedDeliveries({ receiver, subscriptions, requested, videos }: AuditInput): readonly string[] {
	const byPrompt = new Map(requested.map((job) => [job.prompt, job]));
	const jobs = new Map<string, RequestedJob | undefined>();
	for (const { id, prompt } of videos) jobs.set(id, byPrompt.get(prompt ?? ''));
	for (const job of requested) if (job.id !== undefined) jobs.set(job.id, job);
	return receiver.arrivals
		.filter(({ path, event }) => {
			const job = jobs.get(event.data.id);
			const isOwn = job !== undefined && path.startsWith(`/${job.tenant}/`);
			const isSubscribed = isOwn && (subscriptions[path]?.includes(event.type) ?? false);
			return !isSubscribed && job?.callback !== path;
		})
		.map(deliveryKey);
}
