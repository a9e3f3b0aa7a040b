import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Row, ratioOf } from './harness/bench.ts';
import { median } from './harness/rounds.ts';

/** Runs of each benchmark in each checkout. */
const rounds = 3;

interface Checkout {
	readonly folder: string;
	/** A figure of each row and run, divided by the row's reference if it has one: then a busy minute matters less. */
	readonly figures: Map<string, number[]>;
}

/** Runs one benchmark in a checkout. The rows come from the file of results that it writes. */
function run({ folder, figures }: Checkout, name: string): void {
	execFileSync('npm', ['run', '-s', 'bench', '--', name], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
	const text = readFileSync(join(folder, 'bench/results', `${name}.json`), 'utf8');
	for (const row of (JSON.parse(text) as { rows: readonly Row[] }).rows) {
		const key = `${name}: ${row.name}`;
		figures.set(key, [...(figures.get(key) ?? []), ratioOf(row) ?? row.ours]);
	}
}

const [folder, ...names] = process.argv.slice(2);
if (!folder || names.length === 0) {
	console.error('Usage: npm run bench:compare -- <folder of another checkout> <name…>');
	process.exit(1);
}
const before: Checkout = { folder: resolve(folder), figures: new Map() };
const after: Checkout = { folder: resolve(import.meta.dirname, '..'), figures: new Map() };
for (const name of names) {
	for (let round = 0; round < rounds; round++) for (const checkout of [before, after]) run(checkout, name);
}
console.table(
	[...after.figures].map(([row, figures]) => {
		const [now, then] = [median(figures), median(before.figures.get(row) ?? [])];
		return { row, before: then.toPrecision(3), now: now.toPrecision(3), 'now / before': (now / then).toFixed(2) };
	}),
);
