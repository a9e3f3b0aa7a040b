import type { BlobStore, Clock, Logger } from '@plinth/core';
import { readName, storedPrefix } from './url-names.ts';

/** How often expired pictures are looked for, in milliseconds. */
export const sweepMs = 300_000;

/** What deletes expired pictures. */
export interface Sweep {
	/** Looks at once, and then every five minutes. */
	start(): void;
	/** Looks no more; resolves when a look that is under way has ended. */
	stop(): Promise<void>;
}

/** Deletes stored pictures whose address has expired. A store that fails is logged, and asked again the next time. */
export function createSweep(blobs: BlobStore, clock: Clock, log: Logger): Sweep {
	let isStopped = false;
	let cancel = () => {};
	let looking: Promise<void> = Promise.resolve();

	async function look(): Promise<void> {
		try {
			await deleteExpired(blobs, clock.now(), () => isStopped);
		} catch (err) {
			if (!isStopped) log.warn({ err }, 'expired pictures could not be deleted; tried again later');
		}
		if (!isStopped) cancel = clock.after(sweepMs, start);
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

async function deleteExpired(
	blobs: BlobStore,
	now: number,
	isStopped: () => boolean,
): Promise<void> {
	const failures: unknown[] = [];
	for await (const { key } of blobs.list(storedPrefix)) {
		if (isStopped()) return;
		const name = readName(key.slice(storedPrefix.length));
		if (!name || name.expiresAt > now) continue;
		// One that cannot be deleted must not keep the others.
		await blobs.delete(key).catch((error: unknown) => failures.push(error));
	}
	if (failures.length > 0) throw failures[0];
}
