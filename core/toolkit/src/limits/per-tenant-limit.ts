import { Semaphore } from './semaphore.ts';

/** Limits the concurrent work per tenant, over all its requests, so that one tenant cannot fill a shared queue. */
export class PerTenantLimit {
	readonly #concurrency: number;
	readonly #tenants = new Map<string, { readonly semaphore: Semaphore; callers: number }>();

	constructor(concurrency: number) {
		this.#concurrency = concurrency;
	}

	/**
	 * Processes all items in order, with limited concurrency, and returns the results in that order.
	 * Concurrent requests of one tenant share the limit. The first failure rejects, once started work has
	 * settled or `signal` aborts; no further item is started.
	 */
	async map<T, R>(
		tenant: string,
		items: readonly T[],
		signal: AbortSignal,
		work: (item: T) => Promise<R>,
	): Promise<readonly R[]> {
		const entry = this.#tenants.get(tenant) ?? {
			semaphore: new Semaphore(this.#concurrency),
			callers: 0,
		};
		this.#tenants.set(tenant, entry);
		entry.callers += 1;
		try {
			return await this.#runAll(items, (item) => entry.semaphore.run(() => work(item), signal));
		} finally {
			entry.callers -= 1;
			if (entry.callers === 0) this.#tenants.delete(tenant);
		}
	}

	async #runAll<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
		const results: R[] = [];
		const queue = items.entries();
		let hasFailed = false;
		// At most as many workers as slots: the next slot then goes to another request.
		const worker = async () => {
			for (const [index, item] of queue) {
				if (hasFailed) return;
				results[index] = await work(item).catch((error: unknown) => {
					hasFailed = true;
					throw error;
				});
			}
		};
		const workers = await Promise.allSettled(Array.from({ length: this.#concurrency }, worker));
		for (const settled of workers) if (settled.status === 'rejected') throw settled.reason;
		return results;
	}
}
