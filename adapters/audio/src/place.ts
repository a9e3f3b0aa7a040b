import type { Semaphore } from '@plinth/toolkit';

/** Waits for a place, for work that is not one promise. The function that comes back gives it up; the signal ends only the waiting. */
export async function takePlace(places: Semaphore, signal: AbortSignal): Promise<() => void> {
	const entered = Promise.withResolvers<void>();
	const over = Promise.withResolvers<void>();
	const work = () => {
		entered.resolve();
		return over.promise;
	};
	places.run(work, signal).catch(entered.reject);
	await entered.promise;
	return over.resolve;
}
