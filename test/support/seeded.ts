/** A random generator with a seed. Equal seeds give equal choices. */
export interface Seeded {
	readonly seed: number;
	/** A number from 0 to below 1. */
	fraction(): number;
	/** An integer from `low` to `high`, both included. */
	integer(low: number, high: number): number;
	/** True with this probability. */
	chance(probability: number): boolean;
	/** A random item of the list. Throws when the list is empty. */
	pick<T>(list: readonly T[]): T;
}

/**
 * Makes a generator (mulberry32). The seed is `PLINTH_TEST_SEED` or a new one. Print it, so that a failure can be
 * reproduced.
 */
export function seeded(seed = Number(process.env.PLINTH_TEST_SEED ?? freshSeed())): Seeded {
	let state = seed >>> 0;
	const fraction = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
	const integer = (low: number, high: number) => low + Math.floor(fraction() * (high - low + 1));
	return {
		seed,
		fraction,
		integer,
		chance: (probability) => fraction() < probability,
		pick(list) {
			if (list.length === 0) throw new Error('There is nothing to pick from.');
			return list[integer(0, list.length - 1)] as (typeof list)[number];
		},
	};
}

function freshSeed(): number {
	return Math.floor(Math.random() * 4_294_967_296);
}
