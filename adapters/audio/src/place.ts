import type { Semaphore } from '@plinth/toolkit';

/** Waits for a place, for work that is not one promise. The function that comes back gives it up; the signal ends only the waiting. */
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
