import type { ModelHealth } from '../contract/model.ts';
import type { GuardedModel } from './guarded-model.ts';
import { RoundRobin } from './round-robin.ts';

const best: readonly ModelHealth[] = ['up', 'trying'];

/** Models of one kind that share what is asked of one id. */
export class Pool {
	/** The first in the order of the config. */
	readonly first: GuardedModel;
	readonly #members: readonly GuardedModel[];
	readonly #turns: RoundRobin<GuardedModel>;

	/** Members with their weights; one at least. */
	constructor(weighted: readonly (readonly [GuardedModel, number])[]) {
		this.#members = weighted.map(([member]) => member);
		this.first = this.#members[0] as GuardedModel;
		this.#turns = new RoundRobin(weighted);
	}

	/** That of the member who does best. */
	get health(): ModelHealth {
		const found = this.#members.map(({ health }) => health);
		return best.find((health) => found.includes(health)) ?? 'down';
	}

	/** The members in the order of the turn that begins now; those that would begin at once come first. */
	next(): readonly GuardedModel[] {
		return this.#turns.next(({ isReady }) => isReady);
	}
}
