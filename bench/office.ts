import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentText } from '@plinth/toolkit';
import { OfficeParser, type SupportedFileType } from 'officeparser';
import { readDocument } from '../adapters/documents/src/read.ts';
import type { Bench, Row } from './harness/bench.ts';
import { makeOfficeDocuments, type OfficeDocuments } from './harness/office-documents.ts';
import { cellsByOffice, shownByOffice, textByPandoc, textsByOffice } from './harness/office-texts.ts';
import { type Likeness, likenessOf } from './harness/tokens.ts';

/** Words of office documents, against what pandoc reads from them and what LibreOffice shows. */
export const office: Bench = {
	name: 'office',
	about: 'words of DOCX, ODT, PPTX, XLSX, HTML, EPUB and RTF, against pandoc and LibreOffice',
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

async function compare(documents: OfficeDocuments, folder: string): Promise<Row[]> {
	const { docx, odt, pptx, xlsx, html, epub, rtf } = documents;
	const byPandoc = (paths: readonly string[]) => Promise.all(paths.map(textByPandoc));
	const saved = await textsByOffice(odt, join(folder, 'saved'));
	const shown = await shownByOffice(pptx, join(folder, 'shown'));
	const cells = await cellsByOffice(xlsx, join(folder, 'cells'));
	const sets = [
		{ format: 'docx', paths: docx, references: await byPandoc(docx), by: 'pandoc' },
		{ format: 'odt', paths: odt, references: saved, by: 'LibreOffice' },
		// Plinth's text also has speaker notes and the categories of every chart, so only missing words matter.
		{ format: 'pptx', paths: pptx, references: shown, by: 'LibreOffice', figure: 'recall', limit: 0.9 },
		{ format: 'xlsx', paths: xlsx, references: cells, by: 'LibreOffice', trim: withoutName },
		{ format: 'html', paths: html, references: await byPandoc(html), by: 'pandoc' },
		{ format: 'epub', paths: epub, references: await byPandoc(epub), by: 'pandoc' },
		{ format: 'rtf', paths: rtf, references: await byPandoc(rtf), by: 'pandoc' },
	] as const satisfies readonly Set[];
	return (await Promise.all(sets.map(rowsOf))).flat();
}

/** Documents of a format with the texts that another program reads from them. */
interface Set {
	readonly format: SupportedFileType;
	readonly paths: readonly string[];
	readonly references: readonly string[];
	readonly by: string;
	readonly figure?: 'f1' | 'recall';
	readonly limit?: number;
	readonly trim?: (text: string) => string;
}

/** Plinth's figure, and that of the library's text without Plinth's changes. */
async function rowsOf({
	format,
	paths,
	references,
	by,
	figure = 'f1',
	limit = 0.96,
	trim = String,
}: Set): Promise<Row[]> {
	const readers = [
		[`${format}, words as ${by} has them`, async (file: Buffer) => textOf(await readDocument(file), trim), limit],
		[`${format}, officeparser's own text`, (file: Buffer) => libraryText(file, format), undefined],
	] as const;
	return Promise.all(
		readers.map(async ([name, read, goal]) => {
			const files = await Promise.all(paths.map((path) => readFile(path)));
			const texts = await Promise.all(files.map(read));
			return row(
				name,
				figure,
				goal,
				texts.map((text, at) => likenessOf(text, references[at] ?? '')),
			);
		}),
	);
}

function textOf({ text, pages = [] }: DocumentText, trim: (text: string) => string): string {
	return text ?? pages.map((page) => trim(page.text)).join('\n');
}

async function libraryText(file: Buffer, fileType: SupportedFileType): Promise<string> {
	return (await (await OfficeParser.parseOffice(file, { fileType })).to('text')).value;
}

/** CSV lacks the name of the sheet, which is the first line of Plinth's text. */
function withoutName(text: string): string {
	return text.slice(text.indexOf('\n') + 1);
}

function row(name: string, figure: 'f1' | 'recall', limit: number | undefined, all: readonly Likeness[]): Row {
	const mean = (pick: (one: Likeness) => number) => all.reduce((sum, one) => sum + pick(one), 0) / all.length;
	const rounded = (share: number) => share.toFixed(3);
	return {
		name,
		unit: figure === 'f1' ? 'F1' : 'recall',
		ours: mean((one) => one[figure]),
		...(limit !== undefined && { goal: { of: 'value', bound: 'at least', limit } }),
		rounds: { ours: all.map((one) => one[figure]) },
		note: `${all.length} documents; recall ${rounded(mean(({ recall }) => recall))}, precision ${rounded(mean(({ precision }) => precision))}`,
	};
}
