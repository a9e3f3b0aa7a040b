import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Known facts of one page. */
export interface PageFacts {
	readonly page: number;
	readonly contains: readonly string[];
	/** The strings of `contains` follow each other on the page as they do here. */
	readonly in_order: boolean;
	/** Cells that are on one line, in this order. */
	readonly rows_same_line: readonly (readonly string[])[];
}

/** A document with its known facts. */
export interface FactFile {
	readonly path: string;
	readonly pages: readonly PageFacts[];
}

/** How many facts of each kind hold. */
export interface Score {
	readonly facts: Share;
	readonly rows: Share;
	/** Pages whose facts all follow each other as they should. */
	readonly order: Share;
	/** The same for each two neighbouring facts of a page. */
	readonly neighbours: Share;
}

/** A part of a whole. */
export interface Share {
	hits: number;
	all: number;
}

interface Manifest {
	readonly files: readonly {
		readonly file: string;
		readonly expected: { readonly page_facts?: readonly PageFacts[] };
	}[];
}

const beside = '../../../shared/corpus/documents';

/** The folder of `PLINTH_BENCH_DOCUMENTS`, or one beside the repository. Throws when there is none. */
export function documentsFolder(): string {
	const folder = process.env.PLINTH_BENCH_DOCUMENTS ?? resolve(import.meta.dirname, beside);
	if (existsSync(join(folder, 'manifest.json'))) return folder;
	throw new Error(
		`${folder} has no manifest.json: set PLINTH_BENCH_DOCUMENTS to a folder of documents with expected facts.`,
	);
}

/** PDFs of a folder whose pages have known facts. */
export function factFiles(folder: string): FactFile[] {
	const text = readFileSync(join(folder, 'manifest.json'), 'utf8');
	const { files } = JSON.parse(text) as Manifest;
	const present = new Set(readdirSync(folder));
	return files.flatMap(({ file, expected }) =>
		file.endsWith('.pdf') && present.has(file) && expected.page_facts
			? [{ path: join(folder, file), pages: expected.page_facts }]
			: [],
	);
}

/** An empty score. */
export function emptyScore(): Score {
	const none = () => ({ hits: 0, all: 0 });
	return { facts: none(), rows: none(), order: none(), neighbours: none() };
}

/** Checks the facts of one document and adds the results to a score. White space is collapsed; texts are in NFKC. */
export function judge(score: Score, facts: readonly PageFacts[], texts: readonly string[]): void {
	for (const { page, contains, in_order, rows_same_line } of facts) {
		const text = texts[page - 1] ?? '';
		const pageText = plain(text);
		const lines = text.split('\n').map(plain);
		for (const fact of contains) count(score.facts, pageText.includes(plain(fact)));
		for (const row of rows_same_line)
			count(
				score.rows,
				lines.some((line) => isInOrder(line, row)),
			);
		if (!in_order) continue;
		count(score.order, isInOrder(pageText, contains));
		contains.slice(1).forEach((fact, index) => {
			count(score.neighbours, isInOrder(pageText, [contains[index] ?? '', fact]));
		});
	}
}

/** The share of facts that hold; 1 without facts. */
export function shareOf({ hits, all }: Share): number {
	return all === 0 ? 1 : hits / all;
}

function count(share: Share, holds: boolean): void {
	share.all += 1;
	if (holds) share.hits += 1;
}

/** Whether all parts are in a text, one after the other. */
function isInOrder(text: string, parts: readonly string[]): boolean {
	let at = 0;
	for (const part of parts) {
		const index = text.indexOf(plain(part), at);
		if (index < 0) return false;
		at = index + plain(part).length;
	}
	return true;
}

function plain(text: string): string {
	return text.normalize('NFKC').replace(/\s+/g, ' ').trim();
}
