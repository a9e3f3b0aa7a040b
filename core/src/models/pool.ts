import type { ModelHealth } from './circuit.ts';
import { RoundRobin } from './round-robin.ts';
import type { ServedModel } from './served-model.ts';

const best: readonly ModelHealth[] = ['up', 'trying'];

/** Models of one kind that share what is asked of one id. */
export class Pool {
	/** The first in the order of the config. */
	readonly first: ServedModel;
	readonly #members: readonly ServedModel[];
	readonly #turns: RoundRobin<ServedModel>;

	/** Members with their weights; one at least. */
	constructor(weighted: readonly (readonly [ServedModel, number])[]) {
		this.#members = weighted.map(([member]) => member);
		this.first = this.#members[0] as ServedModel;
		this.#turns = new RoundRobin(weighted);
	}

	/** That of the member who does best. */
	get health(): ModelHealth {
		const found = this.#members.map(({ health }) => health);
		return best.find((health) => found.includes(health)) ?? 'down';
	}

	/** The members in the order of the turn that begins now; those that would begin at once come first. */
	next(): readonly ServedModel[] {
		return this.#turns.next(({ isReady }) => isReady);
	}
}
