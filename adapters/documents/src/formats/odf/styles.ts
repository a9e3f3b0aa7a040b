import type { Attributes } from '../../markup/xml.ts';
import { ListStyle } from './list-style.ts';

/** What a style says that matters to the text. */
interface Style {
	readonly parent: string | undefined;
	/** The kind of page that its paragraph begins; '' for none. */
	readonly master: string | undefined;
	readonly list: string | undefined;
	/** Lines of a listing: no empty lines between them. */
	readonly isClose: true | undefined;
	breakBefore?: boolean;
	breakAfter?: boolean;
	isHidden?: boolean;
	showsFooter?: boolean;
	showsDate?: boolean;
}

/** Styles inherit from a few others. More of them go in circles. */
const maxParents = 16;

/** The styles of a document, told while they are read. Those that come later replace others of the same name. */
export class Styles {
	/** How headings are numbered. */
	outline: ListStyle | undefined;
	readonly #styles = new Map<string, Style>();
	readonly #lists = new Map<string, ListStyle>();
	#style: Style | undefined;
	#list: ListStyle | undefined;

	/** A style begins. */
	begin(attributes: Attributes): void {
		this.#style = {
			parent: attributes['style:parent-style-name'],
			master: attributes['style:master-page-name'],
			list: attributes['style:list-style-name'],
			isClose: attributes['style:name'] === 'Preformatted_20_Text' || undefined,
		};
		const family = attributes['style:family'] ?? '';
		this.#styles.set(`${family} ${attributes['style:name'] ?? ''}`, this.#style);
	}

	/** Properties of the style that begun last. */
	set(attributes: Attributes): void {
		const style = this.#style;
		if (!style) return;
		const before = attributes['fo:break-before'];
		const after = attributes['fo:break-after'];
		if (before !== undefined) style.breakBefore = before === 'page';
		if (after !== undefined) style.breakAfter = after === 'page';
		if (attributes['text:display'] !== undefined) style.isHidden = attributes['text:display'] === 'none';
		const footer = attributes['presentation:display-footer'];
		const date = attributes['presentation:display-date-time'];
		if (footer !== undefined) style.showsFooter = footer === 'true';
		if (date !== undefined) style.showsDate = date === 'true';
	}

	/** A list style begins. */
	beginList(attributes: Attributes): void {
		this.#list = new ListStyle();
		this.#lists.set(attributes['style:name'] ?? '', this.#list);
	}

	/** The style of headings' numbers begins. */
	beginOutline(): void {
		this.#list = new ListStyle();
		this.outline = this.#list;
	}

	/** A level of the list style that begun last. */
	setLevel(attributes: Attributes, isNumber: boolean): void {
		this.#list?.set(attributes, isNumber);
	}

	/** The list style of this name. */
	list(name: string | undefined): ListStyle | undefined {
		return name === undefined ? undefined : this.#lists.get(name);
	}

	/** What a style, or else the styles that it inherits from, says of something. */
	find<Key extends keyof Style>(family: string, name: string | undefined, key: Key): Style[Key] {
		let style = this.#styles.get(`${family} ${name}`);
		for (let step = 0; style && step < maxParents; step++) {
			if (style[key] !== undefined) return style[key];
			style = this.#styles.get(`${family} ${style.parent}`);
		}
		return undefined as Style[Key];
	}
}
