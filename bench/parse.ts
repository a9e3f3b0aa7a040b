import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bench, Row } from './harness/bench.ts';
import { type Child, startChild } from './harness/child.ts';
import { cpuOfEnded, cpuOfTree } from './harness/cpu.ts';
import { documentsFolder, emptyScore, type FactFile, factFiles, judge, type Score, shareOf } from './harness/facts.ts';
import { longPdf } from './harness/long-pdf.ts';
import { plainReaders } from './harness/plain-texts.ts';
import { pathOf } from './harness/programs.ts';
import { cpuFigures, inTurns, median, type Sample } from './harness/rounds.ts';

const goals: Readonly<Partial<Record<keyof Score, number>>> = {
	facts: 0.98,
	rows: 0.9,
	order: 0.92,
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
	about: 'text of PDFs through reading processes: facts, rows, reading order, CPU, 5,000 pages, the cache',
	needs: ['pdftotext'],
	async run() {
		const files = factFiles(documentsFolder());
		const compared = await withParser((child) => compare(child, files));
		const short = await withParser((child) => long(child, 5));
		return [...compared, ...short, ...(await withParser((child) => long(child, 40)))];
	},
};

async function withParser<T>(work: (child: Child) => Promise<T>): Promise<T> {
	const child = startChild('parser.ts');
	try {
		await child.next();
		return await work(child);
	} finally {
		await child.stop();
	}
}

interface Timed {
	readonly ms: number;
	readonly pageCount: number;
	/** The peak memory of each reading process, in bytes. */
	readonly peaks: readonly number[];
}

/** A long document as the first one of new processes, then from the cache. */
async function long(child: Child, lines: number): Promise<Row[]> {
	const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
	const path = join(folder, 'long.pdf');
	const time = async (cached: boolean) => {
		child.send({ timed: { path, cached } });
		return await child.next<Timed>();
	};
	try {
		await writeFile(path, longPdf(longPages, lines));
		const first = await time(false);
		if (first.pageCount !== longPages) throw new Error(`${first.pageCount} pages were read.`);
		await time(true);
		const hits = [];
		for (let round = 0; round < 5; round++) hits.push((await time(true)).ms);
		const began = performance.now();
		await pdftotext(path);
		const theirs = performance.now() - began;
		const reference = { name: 'pdftotext -layout', value: theirs / 1_000 };
		return [
			{
				name: `5,000 pages of ${lines} lines`,
				unit: 's',
				ours: first.ms / 1_000,
				reference,
				goal: { of: 'value', bound: 'at most', limit: 10 },
				note: 'lines of 60 characters, in fresh processes',
			},
			{
				name: `5,000 pages of ${lines} lines, memory`,
				unit: 'MB, the most of a reading process',
				ours: Math.max(0, ...first.peaks) / 1_000_000,
				goal: { of: 'value', bound: 'at most', limit: 400 },
				note: `${first.peaks.length} processes, each with half of the pages; ${megabytes(first.peaks)} MB in all`,
			},
			{
				name: 'the same, cached',
				unit: 'ms with hashing',
				ours: median(hits),
				note: '5,000 pages come out of the cache whole; a file of a few pages takes less',
			},
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

const longPages = 5_000;

function megabytes(counts: readonly number[]): string {
	return (counts.reduce((sum, bytes) => sum + bytes, 0) / 1_000_000).toFixed(0);
}

async function compare(child: Child, files: readonly FactFile[]): Promise<Row[]> {
	const ours = await read(child, files);
	const theirs = await Promise.all(files.map(({ path }) => pdftotext(path)));
	const [our, their] = [scoreOf(files, ours), scoreOf(files, theirs)];
	const pages = Math.max(1, theirs.flat().length);
	// V8 compiles the hot code during the first rounds.
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
		...(['facts', 'rows', 'order', 'neighbours'] as const).map((kind) => shareRow(kind, our, their)),
		...(await plainRows(files, our)),
		{
			name: 'parse pdf',
			unit: 'CPU ms per page',
			...cpuFigures(samples, 'pdftotext -layout'),
			goal: { of: 'ratio', bound: 'at most', limit: 3 },
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

/** The cost that Plinth adds to its libraries, which are the references here. */
async function plainRows(files: readonly FactFile[], our: Score): Promise<Row[]> {
	const rows: Row[] = [];
	for (const [name, readPlain] of Object.entries(plainReaders)) {
		const texts: string[][] = [];
		for (const { path } of files) texts.push(await readPlain(path).catch(() => []));
		const plain = scoreOf(files, texts);
		for (const kind of ['facts', 'rows', 'order'] as const)
			rows.push({
				name: `${names[kind]}, against plain ${name}`,
				unit: `share of ${our[kind].all}`,
				ours: shareOf(our[kind]),
				reference: { name: `${name} alone`, value: shareOf(plain[kind]) },
			});
	}
	return rows;
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
