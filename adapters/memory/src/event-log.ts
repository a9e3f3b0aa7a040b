import { type EventPage, type EventQuery, type JobEvent, jobState } from '@plinth/core';

/** Job events in the order of their appending. A cursor is the position of the event it follows. */
export class EventLog {
	#events: JobEvent[] = [];
	#last = 0;

	/** The cursor behind the newest event. */
	get head(): string {
		return String(this.#last);
	}

	append(event: Omit<JobEvent, 'cursor'>): void {
		this.#last += 1;
		this.#events.push({ ...event, cursor: String(this.#last) });
	}

	/** Reads on from a cursor. Rejects with `E_VALUE_INVALID` when the cursor is not one of ours. */
	read(cursor: string | undefined, { tenant, jobId, limit }: EventQuery): EventPage {
		const position = jobState.eventPosition(cursor);
		const events = this.#events
			.filter(
				(event) =>
					Number(event.cursor) > position &&
					(tenant === undefined || event.tenant === tenant) &&
					(jobId === undefined || event.jobId === jobId),
			)
			.slice(0, limit);
		const oldest = this.#last - this.#events.length + 1;
		return jobState.eventPage(structuredClone(events), cursor, oldest, this.#last);
	}

	/** Forgets the beginning of the log, up to the first event that happened at `time` or later. */
	dropBefore(time: number): void {
		const first = this.#events.findIndex((event) => event.at >= time);
		this.#events = first === -1 ? [] : this.#events.slice(first);
	}
}
