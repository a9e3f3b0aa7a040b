import { type CellObject, read, SSF, set_cptable, utils, type WorkBook, type WorkSheet } from '@e965/xlsx';
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs';
import { documentError } from '../refusal.ts';
import { pipeTable } from '../table.ts';
import { checkArchive } from '../zip/archive.ts';
import { maxCharacters } from './budget.ts';
import { asBuffer } from './charset.ts';
import { type Content, type FormatReader, metadataOf, type ReadContext } from './format.ts';
import { openDocumentOf } from './ods.ts';
import { pagesContent, refuseBeyond } from './pages.ts';

/** Readers of workbooks. Each sheet, also a hidden one, is a page: its name, formatted values, comments. */
export const readXlsx: FormatReader = async (bytes, context) => {
	await checkArchive(bytes, context.budget);
	return contentOf(parsed(bytes), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', context);
};

export const readXls: FormatReader = async (bytes, context) =>
	contentOf(parsed(bytes), 'application/vnd.ms-excel', context);

export const readOds: FormatReader = async (bytes, context) => {
	const { content, metadata } = await openDocumentOf(bytes, context.budget);
	// Stubs would fill in every empty cell.
	const book = parsed(content, { sheetStubs: false });
	return { ...contentOf(book, 'application/vnd.oasis.opendocument.spreadsheet', context), metadata };
};

/** The text of each sheet, up to the maximum of a document, because a million cells can show the same long text. */
function contentOf(book: WorkBook, mediaType: string, { options, progress }: ReadContext): Content {
	refuseBeyond(book.SheetNames.length);
	const date1904 = book.Workbook?.WBProps?.date1904 === true;
	const remaining = { characters: maxCharacters };
	const texts = book.SheetNames.map((name) => {
		const sheet = book.Sheets[name];
		// The library leaves out a sheet that it cannot read.
		if (!sheet) throw damaged();
		const { rows, notes } = tableOf(sheet, remaining, date1904);
		const filled = rows.filter(({ length }) => length > 0);
		if (options.format === 'markdown') return [`## ${name}`, pipeTable(filled), ...notes].join('\n\n');
		return [name, ...rows.map((values) => values.join('\t')), '', ...notes].join('\n').trimEnd();
	});
	progress(texts.length, texts.length);
	const { Title, Author, CreatedDate } = book.Props ?? {};
	return { mediaType, ...pagesContent(texts, options), metadata: metadataOf(Title, Author, CreatedDate) };
}

function parsed(bytes: Uint8Array, { sheetStubs = true } = {}): WorkBook {
	set_cptable(codePages);
	const { error } = console;
	// The library writes every unknown record to the console.
	console.error = () => {};
	// Stubs keep formulas without a value.
	const options = { dense: true, cellHTML: false, cellNF: true, dateNF: 'm/d/yyyy', sheetStubs };
	try {
		return read(asBuffer(bytes), { ...options, type: 'buffer' });
	} catch (cause) {
		const isLocked = cause instanceof Error && /password|encrypt/i.test(cause.message);
		throw isLocked ? documentError('E_DOCUMENT_ENCRYPTED', { cause }) : damaged(cause);
	} finally {
		console.error = error;
	}
}

const damaged = (cause?: unknown) =>
	documentError('E_DOCUMENT_UNREADABLE', { message: 'The workbook is damaged.', cause });

/** The maximum columns of a sheet. */
const maxColumns = 16_384;

/** Iterates over existing cells, not over the sheet's declared range. Missing rows become one empty row. */
function tableOf(sheet: WorkSheet, remaining: { characters: number }, date1904: boolean) {
	const data = (sheet['!data'] ?? []) as CellObject[][];
	const rows: string[][] = [];
	const notes: string[] = [];
	let last = Number.POSITIVE_INFINITY;
	for (const r of Object.keys(data).map(Number)) {
		const values: string[] = [];
		for (const [at, cell] of Object.entries(data[r] ?? [])) {
			const c = Number(at);
			const value = remaining.characters > 0 && c < maxColumns ? shown(cell, date1904) : '';
			const note = onOneLine(cell.c?.map(({ t }) => t).join(' '));
			if (value !== '') values[c] = value;
			if (note !== '') notes.push(`${utils.encode_cell({ r, c })}: ${note}`);
			remaining.characters -= value.length + note.length;
		}
		// Frees the memory of its cells.
		delete data[r];
		if (values.length === 0) continue;
		remaining.characters -= values.length;
		if (r > last + 1) rows.push([]);
		rows.push(Array.from(values, (value) => value ?? ''));
		last = r;
	}
	return { rows, notes };
}

/** A value in its format; a number without a format with all digits; a formula without a computed value. */
function shown(cell: CellObject, date1904: boolean): string {
	const { t: type, z: format, w: text, v: value } = cell;
	if (type === 'z') return cell.f === undefined ? '' : onOneLine(`=${cell.f}`);
	if (type !== 'n') return onOneLine(utils.format_cell(cell));
	const isRounded = format === 'General' && /^-?\d[.\d]*(?:E.*)?$/.test(text ?? '0');
	const isPlain = isRounded || (text ?? format) === undefined;
	if (isPlain) return String(Number(Number(value).toPrecision(15))).replace('e', 'E');
	return onOneLine(text ?? formatted(String(format), value, date1904));
}

/** Characters that spreadsheets accept without quotes but the library does not: other scripts, dots of `dd.mm.yyyy`. */
const unquoted = /"[^"]*"|\\.|_.|\[[^\]]*\]|([^ -~€]+|\.(?![0#?]))/gu;

function formatted(format: string, value: CellObject['v'], date1904: boolean): string {
	try {
		const quoted = format.replace(unquoted, (piece, sign?: string) => (sign === undefined ? piece : `"${sign}"`));
		return SSF.format(quoted, value, { date1904 });
	} catch {
		return String(value);
	}
}

const onOneLine = (text = '') => text.replace(/\s+/g, ' ').trim();
