/** A repeatable source of numbers. Equal seeds give equal sequences on every machine. */
export interface Random {
	/** The next number in [0, 1). */
	next(): number;
	/** A number in [from, to). */
	range(from: number, to: number): number;
	/** A whole number in [from, to]. */
	int(from: number, to: number): number;
	/** One element of a list that is not empty. */
	pick<T>(list: readonly T[]): T;
	/** True with the given probability. */
	chance(probability: number): boolean;
}

/** Makes the generator `mulberry32`, started at a 32-bit seed. */
export function createRandom(seed: number): Random {
	let state = seed >>> 0;
	const next = (): number => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = Math.imul(state ^ (state >>> 15), state | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
	return {
		next,
		range: (from, to) => from + next() * (to - from),
		int: (from, to) => from + Math.floor(next() * (to - from + 1)),
		pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
		chance: (probability) => next() < probability,
	};
}

/** Hashes text to 32 bits (FNV-1a with a final mix), so that similar prompts land far apart. */
export function hashText(text: string): number {
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) {
		hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
	}
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) >>> 0;
}
