import { isWide } from './characters.ts';
import { heightOf, type Run } from './item.ts';
import type { Line } from './lines.ts';

/** Neighbouring runs of one line, read as one text. */
export interface Phrase extends Run {
	readonly runs: readonly Run[];
}

/** Joins the runs of a line while the gap between them is below `gap` heights; those of `starts` begin a phrase anyway. */
export function phrasesOf(line: Line, gap: number, starts?: ReadonlySet<Run>): Phrase[] {
	const groups: Run[][] = [];
	let right = 0;
	for (const run of line.runs) {
		const group = groups.at(-1);
		const before = group?.at(-1);
		const isNear = before && run.left - right < gap * unitOf(before, run) && !starts?.has(run);
		if (group && isNear) group.push(run);
		else groups.push([run]);
		right = group && groups.at(-1) === group ? Math.max(right, run.right) : run.right;
	}
	return groups.map(phraseOf);
}

/** The height that a gap between two runs is measured in: scripts are small, their blanks are not. */
export function unitOf(one: Run, other: Run): number {
	return Math.max(heightOf(one), heightOf(other));
}

function phraseOf(runs: readonly Run[]): Phrase {
	let text = '';
	let columns = 0;
	let before: Run | undefined;
	let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
	for (const run of runs) {
		const blank = before && isBlankBetween(before, run) ? 1 : 0;
		text += blank ? ` ${run.text}` : run.text;
		columns += run.columns + blank;
		left = Math.min(left, run.left);
		right = Math.max(right, run.right);
		top = Math.min(top, run.top);
		bottom = Math.max(bottom, run.bottom);
		before = run;
	}
	return { text, columns, left, right, top, bottom, runs };
}

/** Whether a word ends between two runs. Wide scripts write no blanks, so only a broad gap means one. */
export function isBlankBetween(one: Run, other: Run): boolean {
	const gap = (other.left - one.right) / unitOf(one, other);
	const close = isWide(one.text.at(-1)) && isWide(other.text[0]) ? 0.5 : 0.13;
	return gap >= close;
}
