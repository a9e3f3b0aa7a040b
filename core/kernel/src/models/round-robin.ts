interface Entry<T> {
	readonly item: T;
	readonly weight: number;
	current: number;
}

/** Smooth weighted round robin: calls are shared by weight, spread as evenly as the weights allow. */
export class RoundRobin<T> {
	readonly items: readonly T[];
	readonly #entries: readonly Entry<T>[];

	/** Items and their weights, which are above 0. */
	constructor(weighted: Iterable<readonly [T, number]>) {
		this.#entries = [...weighted].map(([item, weight]) => ({ item, weight, current: 0 }));
		this.items = this.#entries.map(({ item }) => item);
	}

	/** All items, the next one first. Ready ones come before others and share the calls; if none is ready, all do. */
	next(isReady: (item: T) => boolean): readonly T[] {
		const ready = this.#entries.filter(({ item }) => isReady(item));
		const candidates = ready.length > 0 ? ready : this.#entries;
		for (const entry of candidates) entry.current += entry.weight;
		const others = this.#entries.filter((entry) => !candidates.includes(entry));
		const order = [...candidates].sort(byCurrent);
		if (order[0]) order[0].current -= candidates.reduce((sum, { weight }) => sum + weight, 0);
		return [...order, ...others.sort(byCurrent)].map(({ item }) => item);
	}
}

function byCurrent(one: Entry<unknown>, other: Entry<unknown>): number {
	return other.current - one.current;
}
