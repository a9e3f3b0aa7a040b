import { type EventQuery, invalidValue, type JobEvent } from '@plinth/core';

/** Job events in the order of their appending. A cursor is the position of the event it follows. */
export class EventLog {
	#events: JobEvent[] = [];
	#last = 0;

	append(event: Omit<JobEvent, 'cursor'>): void {
		this.#last += 1;
		this.#events.push({ ...event, cursor: String(this.#last) });
	}

	/** Reads on from a cursor. Rejects with `E_VALUE_INVALID` when the cursor is not one of ours. */
	read(cursor = '0', { tenant, jobId, limit }: EventQuery) {
		if (!/^\d{1,15}$/.test(cursor)) throw invalidValue('cursor', 'The event cursor is malformed.');
		const events = this.#events
			.filter(
				(event) =>
					Number(event.cursor) > Number(cursor) &&
					(tenant === undefined || event.tenant === tenant) &&
					(jobId === undefined || event.jobId === jobId),
			)
			.slice(0, limit);
		return { events: structuredClone(events), cursor: events.at(-1)?.cursor ?? cursor };
	}

	/** Forgets what happened before `time`. */
	dropBefore(time: number): void {
		this.#events = this.#events.filter((event) => event.at >= time);
	}
}
