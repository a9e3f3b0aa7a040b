import type { XmlHandler } from '../../../markup/xml.ts';

/** Formats that every workbook has, by number. Those that depend on the reader's country are the American ones. */
const builtIn: Readonly<Record<number, string>> = {
	1: '0',
	2: '0.00',
	3: '#,##0',
	4: '#,##0.00',
	5: '"$"#,##0;("$"#,##0)',
	6: '"$"#,##0;("$"#,##0)',
	7: '"$"#,##0.00;("$"#,##0.00)',
	8: '"$"#,##0.00;("$"#,##0.00)',
	9: '0%',
	10: '0.00%',
	11: '0.00E+00',
	12: '# ?/?',
	13: '# ??/??',
	14: 'm/d/yyyy',
	15: 'd-mmm-yy',
	16: 'd-mmm',
	17: 'mmm-yy',
	18: 'h:mm AM/PM',
	19: 'h:mm:ss AM/PM',
	20: 'h:mm',
	21: 'h:mm:ss',
	22: 'm/d/yyyy h:mm',
	37: '#,##0;(#,##0)',
	38: '#,##0;(#,##0)',
	39: '#,##0.00;(#,##0.00)',
	40: '#,##0.00;(#,##0.00)',
	41: '#,##0;(#,##0)',
	42: '"$"#,##0;("$"#,##0)',
	43: '#,##0.00;(#,##0.00)',
	44: '"$"#,##0.00;("$"#,##0.00)',
	45: 'mm:ss',
	46: '[h]:mm:ss',
	47: 'mm:ss.0',
	48: '##0.0E+0',
	49: '@',
};

/** Dates of East Asian editions. */
const isDate = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

/** Reads which format code each style of a workbook's cells has. */
export class CellFormats implements XmlHandler {
	readonly #codes = new Map<number, string>();
	readonly #styles: number[] = [];
	#list = '';

	/** The format code of the style with this number, `General` by default. */
	codeOf(style: number): string {
		const id = this.#styles[style] ?? 0;
		return this.#codes.get(id) ?? builtIn[id] ?? (isDate(id) ? 'yyyy-mm-dd' : 'General');
	}

	open(name: string, { numFmtId, formatCode }: Readonly<Record<string, string>>): void {
		if (name === 'x:numFmts' || name === 'x:cellXfs') this.#list = name;
		else if (name === 'x:numFmt' && this.#list === 'x:numFmts') {
			this.#codes.set(Number(numFmtId), formatCode ?? 'General');
		} else if (name === 'x:xf' && this.#list === 'x:cellXfs') this.#styles.push(Number(numFmtId ?? 0));
	}

	close(name: string): void {
		if (name === this.#list) this.#list = '';
	}
}
