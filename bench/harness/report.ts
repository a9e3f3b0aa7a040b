import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { type Bench, isReached, type Row, ratioOf } from './bench.ts';
import { versionOf } from './programs.ts';

const results = join(import.meta.dirname, '../results');

/** Prints rows as a table. */
export function printTable(rows: readonly Row[]): void {
	const head = ['', 'unit', 'ours', 'reference', 'ratio', 'goal', '', 'wall ms'];
	const lines = [head, ...rows.map(cells)];
	const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
	for (const line of lines) {
		console.log(
			line
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join('  ')
				.trimEnd(),
		);
	}
	for (const { name, note } of rows) if (note) console.log(`  ${name}: ${note}`);
}

/** Saves the rows of one benchmark and facts of the machine, without its name or its folders. */
export function keep(bench: Bench, rows: readonly Row[]): void {
	const programs = Object.fromEntries(bench.needs.map((program) => [program, versionOf(program)]));
	const machine = {
		date: new Date().toISOString().slice(0, 10),
		cores: cpus().length,
		processor: cpus()[0]?.model.trim() ?? 'unknown',
		platform: `${process.platform} ${process.arch}`,
		node: process.version,
		// Includes the load of the benchmark. A load above the number of cores plus two means that other work ran.
		loadAverage: loadavg()[0],
		...programs,
	};
	const shown = rows.map((row) => ({ ...row, ratio: ratioOf(row), reached: isReached(row) }));
	mkdirSync(results, { recursive: true });
	const text = JSON.stringify({ bench: bench.name, machine, rows: shown }, rounded, '\t')
		// Rounds are numbers. Each list of rounds is written on one line.
		.replaceAll(/\[\s+([-\d.,\s]+?)\s+\]/g, (_, numbers: string) => `[${numbers.replaceAll(/\s+/g, ' ')}]`);
	writeFileSync(join(results, `${bench.name}.json`), `${text}\n`);
}

function cells(row: Row): string[] {
	const { name, unit, ours, reference, goal, wall } = row;
	const ratio = ratioOf(row);
	const sign = goal?.bound === 'at most' ? '<=' : '>=';
	const verdict = isReached(row);
	return [
		name,
		unit,
		figure(ours),
		reference ? `${figure(reference.value)} ${reference.name}` : '',
		ratio === undefined ? '' : `${figure(ratio)}x`,
		goal ? `${sign} ${figure(goal.limit)}${goal.of === 'ratio' ? 'x' : ''}` : '',
		verdict === undefined ? '' : verdict ? 'pass' : 'MISS',
		wall ? [wall.ours, wall.reference].flatMap((ms) => (ms === undefined ? [] : figure(ms))).join(' / ') : '',
	];
}

function figure(value: number): string {
	return value >= 1_000 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString();
}

/** Rounds to three digits, because the measurement is not more exact. */
function rounded(_: string, value: unknown): unknown {
	return typeof value === 'number' ? Number(value.toPrecision(3)) : value;
}
