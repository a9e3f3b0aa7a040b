import type { Clock, Logger } from '@plinth/core';
import type { FileStore } from './file-store.ts';
import { isExpired, type StoredFile } from './record.ts';
import type { FileRecords } from './records.ts';

/** How often the sweep runs, in milliseconds. */
export const sweepMs = 300_000;

/** An upload of this age, in milliseconds, is abandoned: four times the request timeout. */
export const uploadTimeoutMs = 7_200_000;

/** Deletes expired files and the remains of crashes. */
export interface Sweep {
	/** Runs now, and then every five minutes. */
	start(): void;
	/** Stops; resolves when a running sweep has ended. */
	stop(): Promise<void>;
}

/** Dependencies of the sweep. */
export interface SweepOptions {
	readonly records: FileRecords;
	readonly store: FileStore;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Each run reads the records of all files, 500 at a time: 100,000 files take about a second in all, without
 * listing blobs. Logs a failing store and retries in the next run. Several servers may sweep one store.
 */
export function createSweep({ records, store, clock, log }: SweepOptions): Sweep {
	let isStopped = false;
	let cancel = () => {};
	let running: Promise<void> = Promise.resolve();

	async function sweep(): Promise<void> {
		try {
			const failures: unknown[] = [];
			for await (const file of records.walk({})) {
				if (isStopped) return;
				// A failed deletion must not stop the others.
				await sweepFile(file).catch((error: unknown) => failures.push(error));
			}
			if (failures.length > 0) throw failures[0];
		} catch (err) {
			if (!isStopped) log.warn({ err }, 'files could not be deleted; the sweep retries');
		}
		if (!isStopped) cancel = clock.after(sweepMs, start);
	}
	async function sweepFile(file: StoredFile): Promise<void> {
		if (file.value.state === 'deleting') await store.clear(file.id);
		else if (isDue(file, clock.now())) await store.remove(file);
	}
	function start(): void {
		running = sweep();
	}

	return {
		start,
		async stop() {
			isStopped = true;
			cancel();
			await running;
		},
	};
}

function isDue({ value }: StoredFile, now: number): boolean {
	const isAbandoned = value.state === 'uploading' && now - value.createdAt >= uploadTimeoutMs;
	return isAbandoned || isExpired(value, now);
}
