import type { Attributes, XmlHandler } from '../../../markup/xml.ts';
import { maxCharacters } from '../../budget.ts';
import type { NumberFormat } from '../drawing/number-format.ts';
import { shown } from '../shown.ts';
import type { CellFormats } from './formats.ts';
import { cellText, isPhonetic } from './strings.ts';

/** What the cells of a workbook share. */
export interface Workbook {
	readonly strings: readonly string[];
	readonly formats: CellFormats;
	readonly format: NumberFormat;
}

const maxColumns = 16_384;

/** A handler that reads a sheet into `sheet`. */
export function sheetHandler(sheet: Sheet): XmlHandler {
	return shown(sheet, isPhonetic);
}

/**
 * Reads the rows of a sheet, cells apart by tabs. It walks the cells that there are: empty rows within become one empty line, and what is empty at the
 * end of rows and of the sheet is left out. Formulas show the value that the file remembers, and themselves where no program has computed one.
 */
export class Sheet implements XmlHandler {
	readonly lines: string[] = [];
	readonly #book: Workbook;
	#row = '';
	/** Columns that the line reaches so far; the next cell's column. */
	#written = 0;
	#column = 0;
	#type = 'n';
	#style = 0;
	#value = '';
	#formula = '';
	#reads: 'value' | 'formula' | undefined;
	#hasValue = false;
	#isGap = false;
	#lastRow = 0;
	#size = 0;

	constructor(book: Workbook) {
		this.#book = book;
	}

	open(name: string, attributes: Attributes): void {
		if (name === 'x:c') this.#beginCell(attributes);
		else if (name === 'x:v' || name === 'x:t') this.#beginValue();
		else if (name === 'x:f') this.#reads = 'formula';
		else if (name === 'x:row') this.#beginRow(attributes);
	}

	text(text: string): void {
		if (this.#reads === 'value') this.#value += text;
		else if (this.#reads === 'formula') this.#formula += text;
	}

	close(name: string): void {
		if (name === 'x:v' || name === 'x:t' || name === 'x:f') this.#reads = undefined;
		else if (name === 'x:c') this.#endCell();
		else if (name === 'x:row') this.#endRow();
	}

	#beginRow({ r }: Attributes): void {
		const row = r === undefined ? this.#lastRow + 1 : Number(r);
		if (row > this.#lastRow + 1) this.#isGap = true;
		this.#lastRow = row;
		this.#row = '';
		this.#written = 0;
		this.#column = 0;
	}

	#beginCell({ r, s, t }: Attributes): void {
		this.#column = columnOf(r) ?? this.#column + 1;
		this.#type = t ?? 'n';
		this.#style = Number(s ?? 0);
		this.#value = '';
		this.#formula = '';
		this.#hasValue = false;
	}

	#beginValue(): void {
		this.#reads = 'value';
		this.#hasValue = true;
	}

	#endCell(): void {
		if (this.#size > maxCharacters) return;
		const text = this.#shown();
		if (text === '' || this.#column > maxColumns) return;
		// Cells that come twice or backwards are damage: they get the next place.
		const column = Math.max(this.#column, this.#written + 1);
		const tabs = this.#written === 0 ? column - 1 : column - this.#written;
		this.#row += '\t'.repeat(tabs) + text;
		this.#size += tabs + text.length;
		this.#written = column;
	}

	#endRow(): void {
		if (this.#row === '') this.#isGap = true;
		else {
			if (this.#isGap && this.lines.length > 0) this.lines.push('');
			this.#isGap = false;
			this.lines.push(this.#row);
		}
		this.#row = '';
	}

	#shown(): string {
		const value = this.#value;
		if (!this.#hasValue) return this.#formula === '' ? '' : cellText(`=${this.#formula}`);
		if (value.trim() === '') return '';
		if (this.#type === 's') return this.#book.strings[Number(value)] ?? '';
		if (this.#type === 'b') return value.trim() === '1' ? 'TRUE' : 'FALSE';
		if (this.#type !== 'n') return cellText(value);
		const number = Number(value);
		return Number.isNaN(number) ? cellText(value) : this.#book.format(number, this.#book.formats.codeOf(this.#style));
	}
}

/** `AB12` is in column 28. Undefined for what is no reference. */
function columnOf(reference: string | undefined): number | undefined {
	let column = 0;
	for (let at = 0; reference !== undefined && at < 4; at++) {
		const letter = reference.charCodeAt(at) & 0xdf;
		if (letter < 65 || letter > 90) break;
		column = column * 26 + letter - 64;
	}
	return column > 0 ? column : undefined;
}
