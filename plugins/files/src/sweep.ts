import type { Clock, Logger } from '@plinth/core';
import type { FileStore } from './file-store.ts';
import { isExpired, type StoredFile } from './record.ts';
import type { FileRecords } from './records.ts';

/** How often files are looked for that have to go, in milliseconds. */
export const sweepMs = 300_000;

/** A file that has been arriving for so long, in milliseconds, is taken for left over: four times as long as a request may last. */
export const arrivalMs = 7_200_000;

/** What deletes expired files, and what crashes have left. */
export interface Sweep {
	/** Looks at once, and then every five minutes. */
	start(): void;
	/** Looks no more; resolves when a look that is under way has ended. */
	stop(): Promise<void>;
}

/** What the sweep works with. */
export interface SweepTools {
	readonly records: FileRecords;
	readonly shelf: FileStore;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Reads the records of all files at each look, 500 at a time: a look at 100,000 files keeps the process busy for about a second in all, and lists no blobs.
 * A store that fails is logged, and asked again the next time. Several servers may sweep one store.
 */
export function createSweep({ records, shelf, clock, log }: SweepTools): Sweep {
	let isStopped = false;
	let cancel = () => {};
	let looking: Promise<void> = Promise.resolve();

	async function look(): Promise<void> {
		try {
			const failures: unknown[] = [];
			for await (const file of records.walk({})) {
				if (isStopped) return;
				// One that cannot be deleted must not keep the others.
				await settle(file).catch((error: unknown) => failures.push(error));
			}
			if (failures.length > 0) throw failures[0];
		} catch (err) {
			if (!isStopped) log.warn({ err }, 'files could not be deleted; tried again later');
		}
		if (!isStopped) cancel = clock.after(sweepMs, start);
	}
	async function settle(file: StoredFile): Promise<void> {
		if (file.value.state === 'leaving') await shelf.clear(file.id);
		else if (isOver(file, clock.now())) await shelf.remove(file);
	}
	function start(): void {
		looking = look();
	}

	return {
		start,
		async stop() {
			isStopped = true;
			cancel();
			await looking;
		},
	};
}

function isOver({ value }: StoredFile, now: number): boolean {
	const isLeft = value.state === 'arriving' && now - value.createdAt >= arrivalMs;
	return isLeft || isExpired(value, now);
}
