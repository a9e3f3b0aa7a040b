import type { Attributes, XmlHandler } from '../../../markup/xml.ts';
import { oneLine } from '../rows.ts';
import { chartLines, type Points, type Series } from './chart-table.ts';
import type { NumberFormat } from './number-format.ts';
import { plainLines, TextBody } from './text-body.ts';

interface Data {
	readonly categories: Map<number, string>;
	readonly values: Map<number, string>;
}

const none: Points = new Map();

/** Reads what a chart of the newer kinds shows (waterfall, treemap, histogram…): titles, then a table. */
export class ChartEx implements XmlHandler {
	readonly #format: NumberFormat;
	readonly #titles: string[] = [];
	readonly #data = new Map<string, Data>();
	readonly #series: { name: string; id: string }[] = [];
	#points: Map<number, string> | undefined;
	#current: Data | undefined;
	#code: string | undefined;
	#place = 0;
	#isSeries = false;
	#body: TextBody | undefined;
	#text: string | undefined;

	constructor(format: NumberFormat) {
		this.#format = format;
	}

	get lines(): string[] {
		const series = this.#series.map(({ name, id }): Series => {
			const { categories, values } = this.#data.get(id) ?? { categories: none, values: none };
			return { name, categories, values, sizes: none };
		});
		return chartLines(this.#titles, series);
	}

	open(name: string, attributes: Attributes): void {
		if (this.#body) {
			this.#body.open(name, attributes);
			return;
		}
		const series = this.#isSeries ? this.#series.at(-1) : undefined;
		if (name === 'cx:data') this.#begin(attributes.id ?? '');
		else if (name === 'cx:strDim' || name === 'cx:numDim') this.#dimension(name);
		else if (name === 'cx:lvl')
			this.#code = this.#code === undefined ? undefined : (attributes.formatCode ?? 'General');
		else if (name === 'cx:pt') this.#point(attributes);
		else if (name === 'cx:rich') this.#body = new TextBody();
		else if (name === 'cx:series') this.#open();
		else if (name === 'cx:dataId' && series) series.id = attributes.val ?? '';
		else if (name === 'cx:v') this.#text = '';
	}

	text(text: string): void {
		if (this.#body) this.#body.text(text);
		else if (this.#text !== undefined) this.#text += text;
	}

	close(name: string): void {
		if (name === 'cx:rich' && this.#body) {
			this.#titles.push(plainLines(this.#body).map(oneLine).join(' '));
			this.#body = undefined;
		} else if (this.#body) this.#body.close(name);
		else if (name === 'cx:pt') this.#keep();
		else if (name === 'cx:v') this.#label();
		else if (name === 'cx:series') this.#isSeries = false;
	}

	#begin(id: string): void {
		this.#current = { categories: new Map(), values: new Map() };
		this.#data.set(id, this.#current);
	}

	#dimension(name: string): void {
		const isNumber = name === 'cx:numDim';
		this.#code = isNumber ? 'General' : undefined;
		this.#points = isNumber ? this.#current?.values : this.#current?.categories;
	}

	#open(): void {
		this.#isSeries = true;
		this.#series.push({ name: '', id: '' });
	}

	#point({ idx }: Attributes): void {
		this.#place = Number(idx ?? 0);
		this.#text = '';
	}

	#keep(): void {
		const text = this.#text ?? '';
		this.#text = undefined;
		const value = Number(text);
		const isNumber = this.#code !== undefined && text !== '' && !Number.isNaN(value);
		const before = this.#points?.get(this.#place);
		const written = isNumber ? this.#format(value, this.#code ?? 'General') : text;
		this.#points?.set(this.#place, before === undefined ? written : `${written} ${before}`);
	}

	#label(): void {
		const text = oneLine(this.#text ?? '');
		this.#text = undefined;
		const series = this.#isSeries ? this.#series.at(-1) : undefined;
		if (series) series.name ||= text;
		else if (text !== '') this.#titles.push(text);
	}
}
