interface Entry<T> {
	readonly item: T;
	readonly weight: number;
	current: number;
}

/** Smooth weighted round robin: calls are shared by weight, spread as evenly as the weights allow. */
export class RoundRobin<T> {
	/** In the order in which they were given. */
	readonly items: readonly T[];
	readonly #entries: readonly Entry<T>[];

	/** Items with their weights, which are above 0. */
	constructor(weighted: Iterable<readonly [T, number]>) {
		this.#entries = [...weighted].map(([item, weight]) => ({ item, weight, current: 0 }));
		this.items = this.#entries.map(({ item }) => item);
	}

	/**
	 * All items, the next one first. Calls are shared among the items that are ready, as if the others did not exist;
	 * the others come last. When none is ready, all share.
	 */
	next(isReady: (item: T) => boolean): readonly T[] {
		const ready = this.#entries.filter(({ item }) => isReady(item));
		const sharing = ready.length > 0 ? ready : this.#entries;
		for (const entry of sharing) entry.current += entry.weight;
		const others = this.#entries.filter((entry) => !sharing.includes(entry));
		const order = [...sharing].sort(byCurrent);
		if (order[0]) order[0].current -= sharing.reduce((sum, { weight }) => sum + weight, 0);
		return [...order, ...others.sort(byCurrent)].map(({ item }) => item);
	}
}

function byCurrent(one: Entry<unknown>, other: Entry<unknown>): number {
	return other.current - one.current;
}
