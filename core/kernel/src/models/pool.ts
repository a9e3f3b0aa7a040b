import type { ModelHealth } from '../contract/model.ts';
import type { GuardedModel } from './guarded-model.ts';

/** Models of one kind that share the calls to one id. */
export class Pool {
	/** The first in the order of the config. */
	readonly first: GuardedModel;
	readonly #members: readonly GuardedModel[];
	readonly #roundRobin: RoundRobin<GuardedModel>;

	/** Members with their weights; one at least. */
	constructor(weighted: readonly (readonly [GuardedModel, number])[]) {
		this.#members = weighted.map(([member]) => member);
		this.first = this.#members[0] as GuardedModel;
		this.#roundRobin = new RoundRobin(weighted);
	}

	/** The best health of its members. */
	get health(): ModelHealth {
		const found = this.#members.map(({ health }) => health);
		return (['up', 'trying'] as const).find((health) => found.includes(health)) ?? 'down';
	}

	/** All members in the order in which the next call tries them; those that would begin at once come first. */
	next(): readonly GuardedModel[] {
		return this.#roundRobin.next(({ isReady }) => isReady);
	}
}

interface Entry<T> {
	readonly item: T;
	readonly weight: number;
	current: number;
}

/**
 * Smooth weighted round robin: of as many calls as all weights together, each item gets its weight, spread as evenly
 * as the weights allow.
 */
export class RoundRobin<T> {
	readonly #entries: readonly Entry<T>[];

	/** Items with their weights, which are above 0. */
	constructor(weighted: Iterable<readonly [T, number]>) {
		this.#entries = [...weighted].map(([item, weight]) => ({ item, weight, current: 0 }));
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
