import { heightOf, middleOf, type Run } from './item.ts';

/** Runs that stand on one line, from left to right. The box is that of its longest run: scripts and tall signs do not move it. */
export interface Line {
	readonly runs: readonly Run[];
	readonly top: number;
	readonly bottom: number;
}

interface Open {
	readonly runs: Run[];
	/** The longest run so far. */
	main: Run;
}

/** How many of the last lines may still take a run. Lines lie close where font sizes differ. */
const openLines = 6;
const longestScript = 6;

/** Groups runs into lines from top to bottom. */
export function linesOf(runs: readonly Run[]): Line[] {
	// By their baselines, so that a tall sign meets all the lines beside it.
	const sorted = runs.map(withoutDrop(runs)).sort((a, b) => a.bottom - b.bottom || a.left - b.left);
	const lines: Open[] = [];
	for (const run of sorted) {
		const line = bestOf(lines.slice(-openLines), run);
		if (!line) lines.push({ runs: [run], main: run });
		else {
			line.runs.push(run);
			if (weightOf(run) > weightOf(line.main)) line.main = run;
		}
	}
	return gathered(lines)
		.flatMap(untangled)
		.sort((a, b) => middleOf(a) - middleOf(b));
}

/** A first letter as tall as some lines belongs to the upper one. */
function withoutDrop(runs: readonly Run[]): (run: Run) => Run {
	const heights = runs.map(heightOf).sort((a, b) => a - b);
	const usual = heights[heights.length >> 1] ?? 0;
	return (run) => {
		const isDrop = run.columns === 1 && heightOf(run) > 1.8 * usual && /\p{Lu}/u.test(run.text);
		return isDrop ? { ...run, bottom: run.top + usual * 1.2 } : run;
	};
}

/** Scripts come before their words here. Those that were left alone go to the words beside them. */
function gathered(lines: readonly Open[]): Open[] {
	return lines.filter((line, index) => {
		if (line.runs.some(({ columns }) => columns > longestScript)) return true;
		const near = lines.slice(Math.max(0, index - 2), index + openLines).filter((one) => one !== line);
		const homes = line.runs.map((run) => near.find((one) => one.runs.length > 0 && isScript(one, run)));
		if (homes.some((home) => home === undefined)) return true;
		line.runs.forEach((run, at) => {
			homes[at]?.runs.push(run);
		});
		line.runs.length = 0;
		return false;
	});
}

/** Long runs say best where a line is, and of scripts and their words the words. */
function weightOf(run: Run): number {
	return Math.min(run.columns, 20) * heightOf(run);
}

function bestOf(lines: readonly Open[], run: Run): Open | undefined {
	let best: Open | undefined;
	for (const line of lines) {
		if (!fits(line, run)) continue;
		if (!best || offset(line.main, run) < offset(best.main, run)) best = line;
	}
	return best;
}

function distance(one: Run, other: Run): number {
	return Math.abs(middleOf(one) - middleOf(other));
}

/** Texts of different sizes share their baseline rather than their middle. */
function offset(one: Run, other: Run): number {
	return Math.min(distance(one, other), Math.abs(one.bottom - other.bottom));
}

function fits({ main, runs }: Open, run: Run): boolean {
	const [small, large] = heightOf(run) < heightOf(main) ? [run, main] : [main, run];
	const height = heightOf(small);
	const isNear = distance(main, run) <= 0.35 * height;
	if (isNear && height > 0.5 * heightOf(large)) return true;
	// Other sizes on the same baseline.
	if (Math.abs(run.bottom - main.bottom) <= 0.25 * height) return true;
	return isBeside(small, large, runs, run);
}

function isScript({ main, runs }: Open, run: Run): boolean {
	return heightOf(run) < heightOf(main) && isBeside(run, main, runs, run);
}

/** Scripts: smaller, inside the height of the other, and right beside a run of its line. */
function isBeside(small: Run, large: Run, runs: readonly Run[], run: Run): boolean {
	if (heightOf(small) > 0.85 * heightOf(large)) return false;
	const middle = middleOf(small);
	const reach = 0.35 * heightOf(large);
	return (
		middle > large.top - 0.15 * heightOf(large) &&
		middle < large.bottom &&
		runs.some((other) => other.left - run.right < reach && run.left - other.right < reach)
	);
}

/** Runs that lie over each other on different heights are two lines after all (fractions, tight forms). */
function untangled({ runs, main }: Open): Line[] {
	const sorted = runs.toSorted((a, b) => a.left - b.left);
	const kept: Run[] = [];
	const moved: Run[] = [];
	for (const run of sorted) {
		const before = kept.at(-1);
		if (!before || !covers(before, run)) kept.push(run);
		else if (distance(before, main) <= distance(run, main)) moved.push(run);
		else {
			kept[kept.length - 1] = run;
			moved.push(before);
		}
	}
	const line = { runs: kept, top: main.top, bottom: main.bottom };
	if (moved.length === 0) return [line];
	const first = moved[0] as Run;
	return [line, { runs: moved, top: first.top, bottom: first.bottom }];
}

function covers(one: Run, other: Run): boolean {
	const common = Math.min(one.right, other.right) - Math.max(one.left, other.left);
	const narrow = Math.min(one.right - one.left, other.right - other.left);
	const height = Math.min(heightOf(one), heightOf(other));
	return common > 0.4 * narrow && distance(one, other) > 0.2 * height;
}
