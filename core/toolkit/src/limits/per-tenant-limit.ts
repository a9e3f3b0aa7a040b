import { Semaphore } from './semaphore.ts';

/**
 * Lets each tenant have a few things done at a time, in all its requests together. What does them takes what comes first, so this is what
 * keeps a tenant with much to do from standing before everybody else in its line.
 */
export class PerTenantLimit {
	readonly #concurrency: number;
	readonly #tenants = new Map<string, { readonly places: Semaphore; users: number }>();

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
			places: new Semaphore(this.#concurrency),
			users: 0,
		};
		this.#tenants.set(tenant, entry);
		entry.users += 1;
		try {
			return await this.#inLanes(items, (item) => entry.places.run(() => work(item), signal));
		} finally {
			entry.users -= 1;
			if (entry.users === 0) this.#tenants.delete(tenant);
		}
	}

	async #inLanes<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
		const results: R[] = [];
		const waiting = items.entries();
		let hasFailed = false;
		// No request asks for more places than there are: the next one in line is then somebody else's.
		const lane = async () => {
			for (const [index, item] of waiting) {
				if (hasFailed) return;
				results[index] = await work(item).catch((error: unknown) => {
					hasFailed = true;
					throw error;
				});
			}
		};
		const lanes = await Promise.allSettled(Array.from({ length: this.#concurrency }, lane));
		for (const settled of lanes) if (settled.status === 'rejected') throw settled.reason;
		return results;
	}
}
