import { type EventPage, type EventQuery, type JobEvent, jobState } from '@plinth/core';

/** Job events in the order of appending. A cursor is the position of an event; reading continues after it. */
export class EventLog {
	#events: JobEvent[] = [];
	#last = 0;

	/** The cursor after the newest event. */
	get head(): string {
		return String(this.#last);
	}

	/** The cursor after the last event that was trimmed. */
	get trimmed(): string {
		return String(Number(this.#events[0]?.cursor ?? this.#last + 1) - 1);
	}

	all(): readonly JobEvent[] {
		return this.#events;
	}

	/** Adds events with their cursors. Later events are appended after `head`. */
	load(events: readonly JobEvent[], head: string): void {
		this.#events.push(...events);
		this.#last = Math.max(this.#last, Number(head));
	}

	append(event: Omit<JobEvent, 'cursor'>): void {
		this.#last += 1;
		this.#events.push({ ...event, cursor: String(this.#last) });
	}

	/** Reads the events after a cursor. Throws `E_VALUE_INVALID` when the cursor is malformed. */
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
		return jobState.eventPage(structuredClone(events), cursor, Number(this.trimmed) + 1, this.#last);
	}

	/** Removes the beginning of the log, up to the first event that happened at `time` or later. */
	dropBefore(time: number): void {
		const first = this.#events.findIndex((event) => event.at >= time);
		this.#events = first === -1 ? [] : this.#events.slice(first);
	}
}
