import { isRightToLeft } from './characters.ts';
import { gridOf } from './grid.ts';
import type { PageSize, Run, TextItem } from './item.ts';
import { linesOf } from './lines.ts';
import { phrasesOf } from './phrases.ts';
import { regionsOf } from './regions.ts';
import { runsOf } from './runs.ts';
import { upright } from './upright.ts';

/**
 * The text of a page. Columns of running text follow each other; tables and forms keep their rows, cells two or more blanks apart. NFC, LF, no
 * blanks at line ends, at most two empty lines in a row. Any numbers are taken; what has no finite place is left out.
 */
export function pageText(items: readonly TextItem[], size: PageSize): string {
	const page = upright(items, size);
	const runs = onPage(runsOf(page.items), page.size);
	const rightFirst = isRightToLeft(runs.map(({ text }) => text).join(''));
	const body = regionsOf(runs, rightFirst).map((region) => gridOf(region).join('\n'));
	const others = page.others.map((list) => plainLines(runsOf(list)));
	return tidy([...body, ...others]);
}

/** What lies beside the page is not seen by its readers. */
function onPage(runs: readonly Run[], { width, height }: PageSize): Run[] {
	if (!(width > 0 && height > 0)) return [...runs];
	return runs.filter(({ left, right, top, bottom }) => right > 0 && left < width && bottom > 0 && top < height);
}

/** Texts across the page: no grid, their places mean nothing here. */
function plainLines(runs: readonly Run[]): string {
	return linesOf(runs)
		.map((line) =>
			phrasesOf(line, Infinity)
				.map(({ text }) => text)
				.join(' '),
		)
		.join('\n');
}

function tidy(parts: readonly string[]): string {
	const lines = parts
		.filter((part) => part.trim() !== '')
		.join('\n\n')
		.split('\n')
		.map((line) => line.trimEnd());
	const margin = lines.reduce(
		(least, line) => (line === '' ? least : Math.min(least, line.length - line.trimStart().length)),
		Infinity,
	);
	return lines
		.map((line) => line.slice(margin))
		.join('\n')
		.replace(/\n{4,}/g, '\n\n\n')
		.normalize('NFC');
}
