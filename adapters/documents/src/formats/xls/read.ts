import { type CellObject, read, set_cptable, type WorkBook, type WorkSheet } from '@e965/xlsx';
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs';
import type { DocumentMetadata } from '@plinth/toolkit';
import { isCompoundFile, openCompoundFile } from '../../ole/compound-file.ts';
import { summaryOf } from '../../ole/summary.ts';
import { documentError } from '../../refusal.ts';
import { maxCharacters } from '../budget.ts';
import type { FormatReader } from '../format.ts';
import { pagesContent } from '../pages.ts';

/** Reads workbooks of Excel 2 to 2003: a page for each sheet, hidden ones too, with its name first and its values as Excel shows them. */
export const readXls: FormatReader = async (bytes, { options }) => {
	const { stream, metadata } = workbookOf(bytes);
	const book = parsed(stream);
	const content = pagesContent(textsOf(book), options);
	return { mediaType: 'application/vnd.ms-excel', ...content, metadata };
};

/** The library gets the workbook's own stream only: its reader of containers believes what they say. */
function workbookOf(bytes: Uint8Array): {
	readonly stream: Uint8Array;
	readonly metadata: DocumentMetadata;
} {
	if (!isCompoundFile(bytes)) return { stream: bytes, metadata: {} };
	const storage = openCompoundFile(bytes);
	const stream = storage.read('Workbook') ?? storage.read('Book');
	return { stream: stream ?? new Uint8Array(), metadata: summaryOf(storage) };
}

function parsed(stream: Uint8Array): WorkBook {
	// The library reads a dozen other formats; every workbook begins with this record.
	if (stream[0] !== 9) throw documentError('E_DOCUMENT_UNREADABLE', { message: damaged });
	set_cptable(codePages);
	const { error } = console;
	// The library tells the console of every record that it does not know.
	console.error = () => {};
	try {
		return read(stream, { type: 'buffer', dense: true, cellFormula: false, cellHTML: false });
	} catch (cause) {
		const isLocked = cause instanceof Error && /password|encrypt/i.test(cause.message);
		throw isLocked
			? documentError('E_DOCUMENT_ENCRYPTED', { cause })
			: documentError('E_DOCUMENT_UNREADABLE', { message: damaged, cause });
	} finally {
		console.error = error;
	}
}

const damaged = 'The workbook is damaged.';

/** The text of each sheet, up to as much as a document may give: a million cells can show the same long text. */
function textsOf(book: WorkBook): string[] {
	let left = maxCharacters;
	return book.SheetNames.map((name) => {
		const lines = [name];
		const sheet = book.Sheets[name];
		for (const line of sheet ? rowsOf(sheet) : []) {
			if (left < 0) break;
			left -= line.length + 1;
			lines.push(line);
		}
		return lines.join('\n');
	});
}

/** Walks the cells that there are, not the range that the sheet claims. */
function* rowsOf(sheet: WorkSheet): Generator<string> {
	const rows = (sheet['!data'] ?? []) as (Row | undefined)[];
	let last = -1;
	for (const [at, cells] of rows.entries()) {
		const line = cells ? lineOf(cells) : '';
		if (line === '') continue;
		if (at > last + 1 && last >= 0) yield '';
		yield line;
		last = at;
	}
}

type Row = readonly (CellObject | undefined)[];

/** As many as a sheet of these versions can have. Cells beyond are somebody's joke. */
const maxColumns = 256;

function lineOf(cells: Row): string {
	const values: string[] = [];
	cells.slice(0, maxColumns).forEach((cell, at) => {
		const value = shown(cell);
		if (value !== '') values[at] = value;
	});
	return Array.from(values, (value) => value ?? '').join('\t');
}

/** `w` is the value in its format. A text keeps its own line breaks out of the row. */
function shown(cell: CellObject | undefined): string {
	const value = cell?.w ?? cell?.v;
	return value === undefined || value === null ? '' : String(value).replace(/\s+/g, ' ').trim();
}
