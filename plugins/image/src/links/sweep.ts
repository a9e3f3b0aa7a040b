import type { BlobStore, Clock, Logger } from '@plinth/core';
import { readName, storedPrefix } from './url-names.ts';

/** How often expired pictures are deleted, in milliseconds. */
export const sweepMs = 300_000;

/** Deletes expired pictures. */
export interface Sweep {
	/** Runs now, and then every five minutes. */
	start(): void;
	/** Stops; resolves when a running sweep has ended. */
	stop(): Promise<void>;
}

/** Deletes stored pictures whose URL has expired. Logs a failing store and retries in the next run. */
export function createSweep(blobs: BlobStore, clock: Clock, log: Logger): Sweep {
	let isStopped = false;
	let cancel = () => {};
	let running: Promise<void> = Promise.resolve();

	async function sweep(): Promise<void> {
		try {
			await deleteExpired(blobs, clock.now(), () => isStopped);
		} catch (err) {
			if (!isStopped) log.warn({ err }, 'expired pictures could not be deleted; the sweep retries');
		}
		if (!isStopped) cancel = clock.after(sweepMs, start);
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

async function deleteExpired(blobs: BlobStore, now: number, isStopped: () => boolean): Promise<void> {
	const expired: string[] = [];
	for await (const { key } of blobs.list(storedPrefix)) {
		if (isStopped()) return;
		const name = readName(key.slice(storedPrefix.length));
		if (name && name.expiresAt <= now) expired.push(key);
	}
	await blobs.delete(expired);
}
