import { hash } from 'node:crypto';

/** Repeatable numbers: equal seeds give equal sequences on every machine. */
export type Random = ReturnType<typeof createRandom>;

/** Creates the generator `mulberry32`, seeded with the hash of a text. `next` returns numbers in [0, 1). */
export function createRandom(text: string) {
	let state = hash('sha256', text, 'buffer').readUInt32LE();
	const next = (): number => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = Math.imul(state ^ (state >>> 15), state | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
	return {
		next,
		range: (from: number, to: number): number => from + next() * (to - from),
		pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
	};
}

/** Creates smooth noise over a line, -1 to 1: a sum of waves. */
export function createNoise(random: Random): (x: number) => number {
	const waves = [0.55, 0.25, 0.13, 0.07].map((size, octave) => {
		return { size, rate: random.range(1.4, 2.4) * 2.1 ** octave, start: random.range(0, 6.3) };
	});
	return (x) => waves.reduce((sum, { size, rate, start }) => sum + Math.sin(x * rate + start) * size, 0);
}
