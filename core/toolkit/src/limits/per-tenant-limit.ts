import { Semaphore } from './semaphore.ts';

/**
 * Lets each tenant have a few things done at a time, in all its requests together. What does them takes what comes first, so this is what
 * keeps a tenant with much to do from standing before everybody else in its line.
 */
export class PerTenantLimit {
	readonly #concurrency: number;
	readonly #tenants = new Map<string, { readonly semaphore: Semaphore; callers: number }>();

	constructor(concurrency: number) {
		this.#concurrency = concurrency;
	}

	/**
	 * Works on all items in their order, a few at a time, and returns what came of them in that order. Requests of one tenant take turns. The
	 * first failure rejects, once what is under way has settled or `signal` aborts; nothing begins behind it.
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
		// No request asks for more places than there are: the next one in line is then somebody else's.
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
