import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readabilityOf } from './readability/sentences.ts';

const root = resolve(import.meta.dirname, '..');
const maxMean = 16;
const maxWords = 35;

/** README.md and the pages under docs/ that are written for this repository. */
export function readablePages(): readonly string[] {
	const built = ['docs/node_modules/**', 'docs/dist/**', 'docs/api/**', 'docs/packages/**', 'docs/.vitepress/**'];
	return globSync(['README.md', 'docs/**/*.md'], { cwd: root, exclude: built }).sort();
}

if (import.meta.main) {
	const rows = readablePages().map((page) => {
		const { words, mean, longest } = readabilityOf(readFileSync(join(root, page), 'utf8'));
		return { page, words, mean, longest };
	});
	const width = Math.max(...rows.map(({ page }) => page.length));
	console.log(`${'page'.padEnd(width)}  words  mean  longest`);
	for (const { page, words, mean, longest } of rows) {
		const cells = [String(words).padStart(5), mean.toFixed(1).padStart(4), String(longest.length).padStart(7)];
		console.log([page.padEnd(width), ...cells].join('  '));
	}
	const hard = rows.filter(({ mean, longest }) => mean > maxMean || longest.length > maxWords);
	for (const { page, longest } of hard) {
		console.error(`\n${page} is hard to read. Its longest sentence: ${longest.join(' ')}`);
	}
	if (hard.length > 0) {
		console.error(`\nThe mean of a page is at most ${maxMean} words, and no sentence has more than ${maxWords}.`);
		process.exitCode = 1;
	}
}
