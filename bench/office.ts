import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDocument } from '../adapters/documents/src/read.ts';
import type { Bench, Row } from './harness/bench.ts';
import { makeOfficeDocuments, type OfficeDocuments } from './harness/office-documents.ts';
import { cellsByOffice, shownByOffice, textByPandoc, textsByOffice } from './harness/office-texts.ts';
import { type Likeness, likenessOf } from './harness/tokens.ts';

/** Words of office documents, against what pandoc reads from them and what LibreOffice shows. */
export const office: Bench = {
	name: 'office',
	about: 'words of DOCX, ODT, PPTX and XLSX, against pandoc and LibreOffice',
	needs: ['pandoc', 'soffice', 'pdftotext'],
	async run() {
		const folder = await mkdtemp(join(tmpdir(), 'plinth-office-'));
		try {
			return await compare(await makeOfficeDocuments(folder), folder);
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	},
};

async function compare({ docx, odt, pptx, xlsx }: OfficeDocuments, folder: string): Promise<Row[]> {
	const byPandoc = await Promise.all(docx.map(textByPandoc));
	const saved = await textsByOffice(odt, join(folder, 'saved'));
	const shown = await shownByOffice(pptx, join(folder, 'shown'));
	const cells = await cellsByOffice(xlsx, join(folder, 'cells'));
	return [
		row('docx', 'f1', 0.97, await likenesses(docx, byPandoc), 'pandoc'),
		row('odt', 'f1', 0.97, await likenesses(odt, saved), 'LibreOffice'),
		// Speaker notes and the categories of every chart are in our text and on no slide: what matters is what we lack.
		row('pptx', 'recall', 0.9, await likenesses(pptx, shown), 'LibreOffice'),
		row('xlsx', 'f1', 0.97, await likenesses(xlsx, cells, withoutName), 'LibreOffice'),
	];
}

async function likenesses(
	paths: readonly string[],
	references: readonly string[],
	trim: (text: string) => string = (text) => text,
): Promise<Likeness[]> {
	return Promise.all(
		paths.map(async (path, index) => {
			const { text, pages } = await readDocument(await readFile(path));
			const whole = text ?? (pages ?? []).map((page) => trim(page.text)).join('\n');
			return likenessOf(whole, references[index] ?? '');
		}),
	);
}

/** CSV does not tell the name of a sheet, which is our first line. */
function withoutName(text: string): string {
	return text.slice(text.indexOf('\n') + 1);
}

function row(format: string, figure: 'f1' | 'recall', limit: number, all: readonly Likeness[], reference: string): Row {
	const mean = (pick: (one: Likeness) => number) => all.reduce((sum, one) => sum + pick(one), 0) / all.length;
	const rounded = (share: number) => share.toFixed(3);
	return {
		name: `${format}, words as ${reference} has them`,
		unit: figure === 'f1' ? 'F1' : 'recall',
		ours: mean((one) => one[figure]),
		goal: { of: 'value', bound: 'at least', limit },
		rounds: { ours: all.map((one) => one[figure]) },
		note: `${all.length} documents; recall ${rounded(mean(({ recall }) => recall))}, precision ${rounded(mean(({ precision }) => precision))}`,
	};
}
