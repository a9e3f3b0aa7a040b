/** One measurement: processor and wall-clock milliseconds per operation. */
export interface Sample {
	readonly cpu: number;
	readonly wall: number;
}

/**
 * Runs every side once per round, in turns, so that noise affects all sides alike. Returns each side's results in
 * order.
 */
export async function inTurns<T, Side extends string>(
	rounds: number,
	sides: Readonly<Record<Side, (round: number) => Promise<T>>>,
): Promise<Record<Side, T[]>> {
	const names = Object.keys(sides) as Side[];
	const results = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Side, T[]>;
	for (let round = 0; round < rounds; round++) {
		for (const name of names) results[name].push(await sides[name](round));
	}
	return results;
}

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	const [low = Number.NaN, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
	return (low + high) / 2;
}

/** The figures of a row that compares processor time. */
export function cpuFigures(
	samples: { readonly ours: readonly Sample[]; readonly reference: readonly Sample[] },
	referenceName: string,
) {
	const figures = (kind: keyof Sample) => ({
		ours: samples.ours.map((sample) => sample[kind]),
		reference: samples.reference.map((sample) => sample[kind]),
	});
	const [cpu, wall] = [figures('cpu'), figures('wall')];
	return {
		ours: median(cpu.ours),
		reference: { name: referenceName, value: median(cpu.reference) },
		wall: { ours: median(wall.ours), reference: median(wall.reference) },
		rounds: cpu,
	};
}
