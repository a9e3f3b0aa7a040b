import type { DocumentPage } from '@plinth/toolkit';
import { documentError } from '../../refusal.ts';
import { maxCharacters } from '../budget.ts';
import type { FormatReader } from '../format.ts';
import { isAsked, refuseBeyond } from '../pages.ts';
import { graphicsOf } from './drawing/graphics.ts';
import { numberFormat } from './drawing/number-format.ts';
import { type Shape, Shapes, shapesHandler } from './drawing/shapes.ts';
import { plainLines } from './drawing/text-body.ts';
import { OfficePackage } from './package.ts';
import { metadataOf } from './properties.ts';
import { CellFormats } from './xlsx/formats.ts';
import { Sheet, sheetHandler, type Workbook } from './xlsx/sheet.ts';
import { sharedStringsHandler } from './xlsx/strings.ts';

interface Outline {
	readonly sheets: { readonly name: string; readonly id: string }[];
	date1904: boolean;
}

/**
 * Reads XLSX and its templates and variants with macros: a page for each sheet, hidden ones too, with its name, its rows, and behind them what its charts and
 * text boxes say.
 */
export const readXlsx: FormatReader = async (bytes, { budget, options, progress }) => {
	const office = await OfficePackage.open(bytes, budget);
	const main = await office.main('xl/workbook.xml');
	if (main.endsWith('.bin')) {
		throw documentError('E_DOCUMENT_UNSUPPORTED', {
			message: 'The workbook is a binary one (xlsb): save it as xlsx.',
		});
	}
	const { sheets, date1904 } = await outlineOf(office, main);
	refuseBeyond(sheets.length);
	const book = await workbookOf(office, main, date1904);
	const targets = new Map((await office.relations(main)).map(({ id, target }) => [id, target]));
	const pages: DocumentPage[] = [];
	let page = 0;
	let written = 0;
	for (const { name, id } of sheets) {
		page += 1;
		if (!isAsked(page, options)) continue;
		// What is beyond would be cut anyway; the cells of every sheet may repeat a long text.
		const target = written <= maxCharacters ? targets.get(id) : undefined;
		const text = `${name}\n${await sheetText(office, target, book)}`;
		written += text.length;
		pages.push({ page, text });
		// A sheet is read once, however often it is listed.
		targets.delete(id);
		progress(page, sheets.length);
	}
	return {
		mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
		pages,
		pageCount: sheets.length,
		metadata: await metadataOf(office),
	};
};

async function outlineOf(office: OfficePackage, part: string): Promise<Outline> {
	const outline: Outline = { sheets: [], date1904: false };
	await office.read(part, {
		open(name, attributes) {
			if (name === 'x:sheet') {
				outline.sheets.push({ name: attributes.name ?? '', id: attributes['r:id'] ?? '' });
			} else if (name === 'x:workbookPr') {
				outline.date1904 = attributes.date1904 === '1' || attributes.date1904 === 'true';
			}
		},
	});
	return outline;
}

async function workbookOf(office: OfficePackage, main: string, date1904: boolean): Promise<Workbook> {
	const relations = await office.relations(main);
	const part = (kind: string) => relations.find((relation) => relation.kind === kind)?.target;
	const strings: string[] = [];
	const formats = new CellFormats();
	// Without their strings most cells would be empty, and the sheet would look whole.
	await office.read(part('sharedStrings') ?? 'xl/sharedStrings.xml', sharedStringsHandler(strings));
	await office.readIfSound(part('styles') ?? 'xl/styles.xml', formats);
	return { strings, formats, format: await numberFormat(date1904) };
}

async function sheetText(office: OfficePackage, part: string | undefined, book: Workbook): Promise<string> {
	if (!part) return '';
	const sheet = new Sheet(book);
	await office.read(part, sheetHandler(sheet));
	const rows = sheet.lines.join('\n');
	const drawings = await drawingLines(office, part);
	return [rows, ...drawings].filter((text) => text !== '').join('\n\n');
}

async function drawingLines(office: OfficePackage, part: string): Promise<string[]> {
	const drawing = (await office.relations(part)).find(({ kind }) => kind === 'drawing')?.target;
	if (!drawing) return [];
	const shapes = new Shapes(await graphicsOf(office, drawing));
	await office.readIfSound(drawing, shapesHandler(shapes));
	return flat(shapes.all).map(({ body, lines }) => [...(body ? plainLines(body) : []), ...lines].join('\n'));
}

function flat(shapes: readonly Shape[]): Shape[] {
	return shapes.flatMap((shape) => (shape.members.length > 0 ? flat(shape.members) : shape));
}
