import type { Attributes } from '../../markup/xml.ts';
import type { Body, Close, Opening } from './body.ts';
import { framed, shapesOf } from './frames.ts';
import type { SheetRun } from './runs.ts';
import { countOf } from './tables.ts';

/** As many as a sheet can have. */
const maxColumns = 16_384;
const maxRows = 1_048_576;

/** Sheets, by the element: the name, then a line for each row, its cells between tabs. */
export const sheets: readonly (readonly [string, Opening])[] = [
	['table:table', sheet],
	['table:table-row', row],
	['table:table-cell', cell],
	['table:covered-table-cell', covered],
	...shapesOf(below),
	['table:content-validations', (body) => body.hide()],
	['table:tracked-changes', (body) => body.hide()],
	['office:annotation', (body) => body.hide()],
];

function sheet(body: Body, attributes: Attributes): Close | undefined {
	// Tables in cells are parts of other programs' documents.
	if (body.sheet) return body.hide();
	const run: SheetRun = { row: [], empty: 0, below: [] };
	body.sheet = run;
	body.flow.lines([attributes['table:name'] ?? '']);
	return () => {
		body.sheet = undefined;
		body.flow.block(1);
		body.flow.lines(run.below);
		body.breakPage();
	};
}

function below(body: Body): Close | undefined {
	const lines = body.sheet?.below;
	return (
		lines &&
		framed(body, (own) => {
			for (const line of own) lines.push(line);
		})
	);
}

function row(body: Body, attributes: Attributes): Close | undefined {
	const run = body.sheet;
	if (!run) return undefined;
	run.row = [];
	run.empty = 0;
	return () => {
		if (run.row.length === 0) {
			body.flow.block(1);
			return;
		}
		const line = run.row.join('\t');
		const repeats = countOf(attributes['table:number-rows-repeated'], maxRows);
		for (let time = 0; time < repeats && !body.flow.isFull; time++) body.flow.lines([line]);
	};
}

function cell(body: Body, attributes: Attributes): Close | undefined {
	const run = body.sheet;
	if (!run) return undefined;
	return body.apart((lines) => {
		const text = lines.length > 0 ? lines.join(' ').replace(/\t/g, ' ').trim() : bareValue(attributes);
		fill(body, run, text, countOf(attributes['table:number-columns-repeated'], maxColumns));
	});
}

function fill(body: Body, run: SheetRun, text: string, repeats: number): void {
	if (text === '') {
		run.empty += repeats;
		return;
	}
	const columns = Math.min(run.empty + repeats, maxColumns - run.row.length);
	if (columns <= 0) return;
	body.room.take(columns * (text.length + 1));
	for (; run.empty > 0 && run.row.length < maxColumns; run.empty--) run.row.push('');
	run.empty = 0;
	for (let time = 0; time < repeats && run.row.length < maxColumns; time++) run.row.push(text);
}

/** What programs write that leave out the text: the value as such. */
function bareValue(attributes: Attributes): string {
	return (
		attributes['office:string-value'] ??
		attributes['office:date-value'] ??
		attributes['office:boolean-value']?.toUpperCase() ??
		attributes['office:value'] ??
		''
	);
}

/** What is under a merged cell is not seen. */
function covered(body: Body, attributes: Attributes): Close {
	if (body.sheet) body.sheet.empty += countOf(attributes['table:number-columns-repeated'], maxColumns);
	return body.hide();
}
