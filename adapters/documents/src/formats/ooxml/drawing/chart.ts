import type { Attributes, XmlHandler } from '../../../markup/xml.ts';
import { oneLine } from '../rows.ts';
import { chartLines, type Series } from './chart-table.ts';
import type { NumberFormat } from './number-format.ts';
import { plainLines, TextBody } from './text-body.ts';

type Role = 'name' | 'categories' | 'values' | 'sizes';

const roles: ReadonlyMap<string, Role> = new Map(
	Object.entries({
		'c:tx': 'name',
		'c:cat': 'categories',
		'c:xVal': 'categories',
		'c:val': 'values',
		'c:yVal': 'values',
		'c:bubbleSize': 'sizes',
	} as const),
);

/** Reads what a chart shows from the values that its file remembers: titles, then a table. */
export class Chart implements XmlHandler {
	readonly #format: NumberFormat;
	readonly #titles: string[] = [];
	readonly #series: Series[] = [];
	#points: Record<Role, Map<number, string>> | undefined;
	#role: Role | undefined;
	#body: TextBody | undefined;
	#code = 'General';
	#isNumber = false;
	#place = 0;
	#text: string | undefined;

	constructor(format: NumberFormat) {
		this.#format = format;
	}

	get lines(): string[] {
		return chartLines(this.#titles, this.#series);
	}

	open(name: string, attributes: Attributes): void {
		if (this.#body) {
			this.#body.open(name, attributes);
			return;
		}
		const role = roles.get(name);
		if (name === 'c:ser')
			this.#points = {
				name: new Map(),
				categories: new Map(),
				values: new Map(),
				sizes: new Map(),
			};
		else if (role && this.#points) this.#role = role;
		else if (name === 'c:rich') this.#body = new TextBody();
		else if (name === 'c:numCache' || name === 'c:numLit') this.#begin(true);
		else if (name === 'c:strCache' || name === 'c:strLit') this.#begin(false);
		else if (name === 'c:pt') this.#place = Number(attributes.idx ?? 0);
		else if (name === 'c:v' || name === 'c:formatCode') this.#text = '';
	}

	text(text: string): void {
		if (this.#body) this.#body.text(text);
		else if (this.#text !== undefined) this.#text += text;
	}

	close(name: string): void {
		if (name === 'c:rich' && this.#body) {
			this.#titles.push(plainLines(this.#body).map(oneLine).join(' '));
			this.#body = undefined;
		} else if (this.#body) this.#body.close(name);
		else if (name === 'c:formatCode') this.#code = this.#taken();
		else if (name === 'c:v') this.#keep(this.#taken());
		else if (name === 'c:ser') this.#end();
		else if (roles.get(name)) this.#role = undefined;
	}

	#begin(isNumber: boolean): void {
		this.#isNumber = isNumber;
		this.#code = 'General';
	}

	#taken(): string {
		const text = this.#text ?? '';
		this.#text = undefined;
		return text;
	}

	#keep(text: string): void {
		const points = this.#role && this.#points?.[this.#role];
		if (!points) {
			// The title of the chart or of an axis, taken from a cell.
			if (!this.#points && text.trim() !== '') this.#titles.push(oneLine(text));
			return;
		}
		const before = points.get(this.#place);
		const value = this.#isNumber ? this.#written(text) : text;
		// Categories of several levels come from the innermost to the outermost.
		points.set(this.#place, before === undefined ? value : `${value} ${before}`);
	}

	#written(text: string): string {
		const value = Number(text);
		return text.trim() === '' || Number.isNaN(value) ? text : this.#format(value, this.#code);
	}

	#end(): void {
		if (!this.#points) return;
		const { name, categories, values, sizes } = this.#points;
		this.#series.push({ name: [...name.values()].join(' '), categories, values, sizes });
		this.#points = undefined;
	}
}
