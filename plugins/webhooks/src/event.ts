import type { JobEvent } from '@plinth/core';
import { eventId } from './ids.ts';

/** The event that a job has completed or failed. */
export type WebhookEvent = {
	/** The same in every process and at every attempt. */
	readonly id: string;
	/** `<kind>.completed` or `<kind>.failed`. */
	readonly type: string;
	readonly jobId: string;
	/** When the job ended, in milliseconds since the Unix epoch. */
	readonly at: number;
};

const endNames: Readonly<Partial<Record<JobEvent['type'], string>>> = {
	'job.completed': 'completed',
	'job.failed': 'failed',
};

/** The types of the events for jobs of these kinds. */
export function eventTypes(kinds: readonly string[]): readonly string[] {
	return kinds.flatMap((kind) => Object.values(endNames).map((end) => `${kind}.${end}`));
}

/** The webhook event for a job event; undefined unless the job has completed or failed. */
export function eventOf({ type, kind, jobId, at }: JobEvent): WebhookEvent | undefined {
	const end = endNames[type];
	if (end === undefined) return undefined;
	const eventType = `${kind}.${end}`;
	return { id: eventId(jobId, eventType), type: eventType, jobId, at };
}

/** The body that receivers get. Like OpenAI's events, it has only the id of the job. */
export function bodyOf({ id, type, jobId, at }: WebhookEvent): string {
	const created = Math.floor(at / 1000);
	return JSON.stringify({ id, object: 'event', created_at: created, type, data: { id: jobId } });
}
