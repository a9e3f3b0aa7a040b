import type { Phrase } from './phrases.ts';

const maxBins = 2_000;
const maxGutters = 12;

/** Where a vertical gutter may lie: valleys of the text's coverage, the emptiest first. */
export function guttersOf(pieces: readonly Phrase[]): number[] {
	const left = pieces.reduce((least, piece) => Math.min(least, piece.left), Infinity);
	const right = pieces.reduce((most, piece) => Math.max(most, piece.right), -Infinity);
	const bin = Math.max(1, (right - left) / maxBins);
	const cover = coverage(pieces, left, bin, Math.ceil((right - left) / bin) + 1);
	return valleys(cover)
		.sort((a, b) => a.depth - b.depth || b.width - a.width)
		.slice(0, maxGutters)
		.map(({ middle }) => left + (middle + 0.5) * bin);
}

/** How many pieces lie over each bin. */
function coverage(pieces: readonly Phrase[], left: number, bin: number, bins: number): number[] {
	const steps = new Float64Array(bins + 1);
	for (const piece of pieces) {
		const [from, to] = [Math.floor((piece.left - left) / bin), Math.ceil((piece.right - left) / bin)];
		steps[Math.max(0, from)] = (steps[Math.max(0, from)] ?? 0) + 1;
		steps[Math.min(bins, to)] = (steps[Math.min(bins, to)] ?? 0) - 1;
	}
	let height = 0;
	return Array.from(steps.subarray(0, bins), (step) => {
		height += step;
		return height;
	});
}

/** Plateaus that at least three more pieces stand on, to the left and to the right. */
function valleys(cover: readonly number[]) {
	const before = runningMaximum(cover);
	const after = runningMaximum(cover.toReversed()).reverse();
	const found: { middle: number; width: number; depth: number }[] = [];
	for (let from = 0; from < cover.length; ) {
		const height = cover[from] as number;
		let to = from + 1;
		while (to < cover.length && cover[to] === height) to++;
		const isLow = (cover[from - 1] ?? 0) > height && (cover[to] ?? 0) > height;
		const shoulder = Math.min(before[from] as number, after[to - 1] as number);
		if (isLow && height <= shoulder - 3)
			found.push({ middle: (from + to - 1) / 2, width: to - from, depth: height / shoulder });
		from = to;
	}
	return found;
}

function runningMaximum(values: readonly number[]): number[] {
	let most = 0;
	return values.map((value) => {
		most = Math.max(most, value);
		return most;
	});
}
