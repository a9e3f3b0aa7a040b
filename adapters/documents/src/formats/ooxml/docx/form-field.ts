import type { Attributes } from '../../../markup/xml.ts';
import { isOn } from './styles.ts';

/** A field of an old form whose state stands in its properties (`w:ffData`) alone: a box to tick, a list to choose from. */
export class FormField {
	readonly #entries: string[] = [];
	#isTicked: boolean | undefined;
	#chosen = 0;

	open(name: string, { 'w:val': value }: Attributes): void {
		if (name === 'w:checkBox') this.#isTicked = false;
		else if (name === 'w:checked') this.#isTicked = isOn(value);
		else if (name === 'w:default') this.#setDefault(value);
		else if (name === 'w:result') this.#chosen = Number(value);
		else if (name === 'w:listEntry') this.#entries.push(value ?? '');
	}

	/** What the field shows. Fields of text show their result, like all others. */
	get text(): string {
		if (this.#isTicked !== undefined) return this.#isTicked ? '☒' : '☐';
		return this.#entries[this.#chosen] ?? '';
	}

	#setDefault(value: string | undefined): void {
		if (this.#isTicked === undefined) this.#chosen = Number(value);
		else this.#isTicked = isOn(value);
	}
}
