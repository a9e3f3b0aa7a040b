import type { Semaphore } from '@plinth/toolkit';

/**
 * Waits for a slot and returns a function that releases it, for work that is not a single promise. The
 * signal only ends the waiting.
 */
export async function acquireSlot(semaphore: Semaphore, signal: AbortSignal): Promise<() => void> {
	const acquired = Promise.withResolvers<void>();
	const released = Promise.withResolvers<void>();
	const work = () => {
		acquired.resolve();
		return released.promise;
	};
	semaphore.run(work, signal).catch(acquired.reject);
	await acquired.promise;
	return released.resolve;
}
