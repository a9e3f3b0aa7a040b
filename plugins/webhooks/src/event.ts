import type { JobEvent } from '@plinth/core';
import { eventId } from './ids.ts';

/** What receivers get: that a job has ended. */
export type WebhookEvent = {
	/** The same in every process and at every attempt. */
	readonly id: string;
	/** `<kind>.completed` or `<kind>.failed`. */
	readonly type: string;
	readonly jobId: string;
	/** When the job ended, in milliseconds since the Unix epoch. */
	readonly at: number;
};

const ends: Readonly<Partial<Record<JobEvent['type'], string>>> = {
	'job.completed': 'completed',
	'job.failed': 'failed',
};

/** The types of events that jobs of these kinds end with. */
export function eventTypes(kinds: readonly string[]): readonly string[] {
	return kinds.flatMap((kind) => Object.values(ends).map((end) => `${kind}.${end}`));
}

/** The event that a transition of a job makes; undefined unless the job has ended. */
export function eventOf({ type, kind, jobId, at }: JobEvent): WebhookEvent | undefined {
	const end = ends[type];
	if (end === undefined) return undefined;
	const name = `${kind}.${end}`;
	return { id: eventId(jobId, name), type: name, jobId, at };
}

/** The body that receivers get: thin, as OpenAI's events are. The job itself has the rest. */
export function bodyOf({ id, type, jobId, at }: WebhookEvent): string {
	const created = Math.floor(at / 1000);
	return JSON.stringify({ id, object: 'event', created_at: created, type, data: { id: jobId } });
}
