import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Bench, Row } from './harness/bench.ts';
import { type Child, startChild } from './harness/child.ts';
import { cpuOfEnded, cpuOfTree } from './harness/cpu.ts';
import {
	documentsFolder,
	emptyScore,
	type FactFile,
	factFiles,
	judge,
	type Score,
	shareOf,
} from './harness/facts.ts';
import { pathOf } from './harness/programs.ts';
import { cpuFigures, inTurns, type Sample } from './harness/rounds.ts';

const goals: Readonly<Partial<Record<keyof Score, number>>> = {
	facts: 0.98,
	rows: 0.92,
	order: 0.96,
};
const names = {
	facts: 'facts contained',
	rows: 'table rows on one line',
	order: 'pages in reading order',
	neighbours: 'neighbours in order',
} as const;

/** Text of PDFs with known facts, against `pdftotext -layout` on the same files. */
export const parse: Bench = {
	name: 'parse',
	about: 'text of PDFs: facts, rows, reading order and CPU, against pdftotext -layout',
	needs: ['pdftotext'],
	async run() {
		const files = factFiles(documentsFolder());
		const child = startChild('parser.ts');
		try {
			await child.next();
			return await compare(child, files);
		} finally {
			await child.stop();
		}
	},
};

async function compare(child: Child, files: readonly FactFile[]): Promise<Row[]> {
	const ours = await read(child, files);
	const theirs = await Promise.all(files.map(({ path }) => pdftotext(path)));
	const [our, their] = [scoreOf(files, ours), scoreOf(files, theirs)];
	const pages = Math.max(1, theirs.flat().length);
	// The engines compile what is hot during the first rounds.
	for (let round = 0; round < 3; round++) await read(child, files);
	const samples = await inTurns(5, {
		ours: async () =>
			perPage(
				await measured(
					() => cpuOfTree(child.pid),
					() => read(child, files),
				),
				pages,
			),
		reference: async () => perPage(await measured(cpuOfEnded, () => inSuccession(files)), pages),
	});
	return [
		...(['facts', 'rows', 'order', 'neighbours'] as const).map((kind) =>
			shareRow(kind, our, their),
		),
		{
			name: 'parse pdf',
			unit: 'CPU ms per page',
			...cpuFigures(samples, 'pdftotext -layout'),
			goal: { of: 'ratio', bound: 'at most', limit: 2 },
			note: `${files.length} files of ${pages} pages in a warm process; a start of pdftotext per file is in its figure`,
		},
	];
}

function shareRow(kind: keyof Score, our: Score, their: Score): Row {
	const limit = goals[kind];
	return {
		name: names[kind],
		unit: `share of ${our[kind].all}`,
		ours: shareOf(our[kind]),
		reference: { name: 'pdftotext -layout', value: shareOf(their[kind]) },
		...(limit === undefined ? {} : { goal: { of: 'value', bound: 'at least', limit } }),
	};
}

function scoreOf(files: readonly FactFile[], texts: readonly (readonly string[])[]): Score {
	const score = emptyScore();
	files.forEach(({ pages }, index) => {
		judge(score, pages, texts[index] ?? []);
	});
	return score;
}

async function read(child: Child, files: readonly FactFile[]): Promise<string[][]> {
	child.send({ paths: files.map(({ path }) => path) });
	const { texts } = await child.next<{ texts: string[][] }>();
	return texts;
}

async function pdftotext(path: string): Promise<string[]> {
	const { stdout } = await promisify(execFile)(pathOf('pdftotext'), ['-q', '-layout', path, '-'], {
		maxBuffer: 256 * 1_048_576,
	});
	return stdout.split('\f').slice(0, -1);
}

async function inSuccession(files: readonly FactFile[]): Promise<void> {
	for (const { path } of files) await pdftotext(path);
}

async function measured(cpu: () => number, work: () => Promise<unknown>): Promise<Sample> {
	const [before, began] = [cpu(), performance.now()];
	await work();
	return { cpu: cpu() - before, wall: performance.now() - began };
}

function perPage({ cpu, wall }: Sample, pages: number): Sample {
	return { cpu: cpu / pages, wall: wall / pages };
}
