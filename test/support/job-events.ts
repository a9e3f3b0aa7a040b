import type { JobEvent, JobStore } from '@plinth/core';
import { sqliteJobs } from '@plinth/sqlite';
import { createBackend } from '@plinth/testing';

/** All events in the database of a data directory, in order. The fleet may keep using the database meanwhile. */
export async function jobEvents(dataDir: string): Promise<readonly JobEvent[]> {
	const backend = sqliteJobs({ file: `${dataDir}/plinth.db` });
	const { provided: store, stop } = await createBackend<JobStore>(backend);
	try {
		const found: JobEvent[] = [];
		for (let cursor: string | undefined; ; ) {
			const page = await store.events(cursor, { limit: 1_000 });
			if (page.events.length === 0) return found;
			found.push(...page.events);
			cursor = page.cursor;
		}
	} finally {
		await stop();
	}
}
