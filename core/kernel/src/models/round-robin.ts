interface Entry<T> {
	readonly item: T;
	readonly weight: number;
	current: number;
}

/**
 * Smooth weighted round robin: of any turns as many as all weights together, each item gets its weight, and none gets its turns in a row where others could be between.
 */
export class RoundRobin<T> {
	readonly #entries: readonly Entry<T>[];

	/** Items with their weights, which are above 0. */
	constructor(weighted: Iterable<readonly [T, number]>) {
		this.#entries = [...weighted].map(([item, weight]) => ({ item, weight, current: 0 }));
	}

	/**
	 * All items, the one whose turn it is first and the others as they follow. Turns are shared among those that are ready, as if the others were not there;
	 * these come last. Where none is ready, all share.
	 */
	next(isReady: (item: T) => boolean): readonly T[] {
		const ready = this.#entries.filter(({ item }) => isReady(item));
		const sharing = ready.length > 0 ? ready : this.#entries;
		for (const entry of sharing) entry.current += entry.weight;
		const others = this.#entries.filter((entry) => !sharing.includes(entry));
		const order = [...sharing].sort(byTurn);
		if (order[0]) order[0].current -= sharing.reduce((sum, { weight }) => sum + weight, 0);
		return [...order, ...others.sort(byTurn)].map(({ item }) => item);
	}
}

function byTurn(one: Entry<unknown>, other: Entry<unknown>): number {
	return other.current - one.current;
}
