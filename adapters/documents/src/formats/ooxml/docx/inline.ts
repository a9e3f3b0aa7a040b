import type { Attributes } from '../../../markup/xml.ts';
import { altText } from '../drawing/alt-text.ts';
import { Formula } from '../formula.ts';
import { Fields } from './fields.ts';
import { FormField } from './form-field.ts';
import { isOn } from './styles.ts';
import { symbolOf } from './symbols.ts';

/** Elements that are characters. */
const characters: ReadonlyMap<string, string> = new Map([
	['w:ptab', '\t'],
	['w:cr', '\n'],
	['w:noBreakHyphen', '-'],
]);

/** Follows what stands within a line: which text is shown, and which elements are text. */
export class Inline {
	readonly #fields = new Fields();
	readonly #formula = new Formula();
	#alt = '';
	#isText = false;
	#isHidden = false;
	#form: FormField | undefined;

	/** Takes an element's beginning. Answers the text that it stands for. */
	open(name: string, attributes: Attributes): string {
		this.#formula.open(name, attributes);
		if (name === 'w:t' || name === 'm:t') this.#isText = true;
		else if (name === 'w:r') this.#isHidden = false;
		else if (name === 'w:vanish') this.#isHidden = isOn(attributes['w:val']);
		else if (name === 'w:fldChar') return this.#markField(attributes['w:fldCharType']);
		else if (name === 'w:ffData') this.#form = new FormField();
		else if (this.#form) this.#form.open(name, attributes);
		else if (name === 'wp:docPr') this.#alt = altText(attributes.descr);
		else if (name === 'v:shape') this.#alt = altText(attributes.alt);
		else return this.shown(textOf(name, attributes, this.#alt));
		return '';
	}

	/** What a reader sees of a piece of text in the file. */
	text(text: string): string {
		// Only elements break lines.
		return this.#isText ? this.shown(text.replace(/[\r\n]+/g, ' ')) : '';
	}

	/** What a reader sees of a text: nothing when it is hidden or an instruction. */
	shown(text: string): string {
		if (text === '' || this.#isHidden || !this.#fields.isShown) return '';
		// Soft hyphens show at line ends alone, and there are no lines here.
		const seen = text.replaceAll('\u00ad', '');
		if (!this.#formula.isOpen) return seen;
		this.#formula.text(seen);
		return '';
	}

	/** Takes an element's end. Answers the formula that ends with it. */
	close(name: string): string {
		if (name === 'w:t' || name === 'm:t') this.#isText = false;
		else if (name === 'w:p') this.#endParagraph();
		return this.#formula.close(name);
	}

	#markField(type: string | undefined): string {
		this.#fields.mark(type);
		if (type !== 'end') return '';
		const { text = '' } = this.#form ?? {};
		this.#form = undefined;
		return this.shown(text);
	}

	#endParagraph(): void {
		this.#isHidden = false;
		this.#fields.endParagraph();
	}
}

function textOf(name: string, attributes: Attributes, alt: string): string {
	if (name === 'w:sym') return symbolOf(attributes['w:font'], attributes['w:char']);
	if (name === 'pic:pic' || name === 'v:imagedata') return alt;
	if (name === 'v:textpath') return attributes.string ?? '';
	return characters.get(name) ?? '';
}
