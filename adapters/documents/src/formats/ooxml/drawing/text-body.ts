import type { Attributes, XmlHandler } from '../../../markup/xml.ts';
import { Formula } from '../formula.ts';

/** How a paragraph of a shape begins: with a bullet, a number, or nothing. Undefined leaves it to whatever it inherits from. */
export type Bullet =
	| { readonly kind: 'none' }
	| { readonly kind: 'sign' }
	| { readonly kind: 'number'; readonly scheme: string; readonly start: number };

/** A paragraph of a shape. */
export interface Paragraph {
	text: string;
	/** 0 for the outermost. */
	level: number;
	bullet: Bullet | undefined;
}

/** Stands in a text for the number of the slide that shows it: XML has no such character. */
export const slideNumber = '\u0001';

/** Reads the text of a shape (`a:txBody`, `c:rich`, `dgm:t`) and the bullets that its list styles name for each level. */
export class TextBody implements XmlHandler {
	readonly paragraphs: Paragraph[] = [];
	readonly bullets = new Map<number, Bullet>();
	readonly #formula = new Formula();
	#paragraph: Paragraph | undefined;
	#styled: number | undefined;
	#isText = false;
	#isSlideNumber = false;

	open(name: string, attributes: Attributes): void {
		this.#formula.open(name, attributes);
		const level = /^a:lvl([1-9])pPr$/.exec(name);
		if (level) this.#styled = Number(level[1]) - 1;
		else if (name === 'a:p') this.#begin();
		else if (name === 'a:pPr' && this.#paragraph) this.#paragraph.level = levelOf(attributes);
		else if (name === 'a:br') this.#add('\n');
		else if (name === 'a:fld' && attributes.type === 'slidenum') this.#showNumber();
		else if (name === 'a:t' || name === 'm:t') this.#isText = !this.#isSlideNumber;
		else this.#setBullet(bulletOf(name, attributes));
	}

	text(text: string): void {
		if (this.#isText && this.#formula.isOpen) this.#formula.text(text);
		else if (this.#isText) this.#add(text);
	}

	close(name: string): void {
		if (name === 'a:t' || name === 'm:t') this.#isText = false;
		else if (name === 'a:fld') this.#isSlideNumber = false;
		else if (name === 'a:p') this.#paragraph = undefined;
		else if (/^a:lvl\dpPr$/.test(name)) this.#styled = undefined;
		this.#add(this.#formula.close(name));
	}

	#begin(): void {
		this.#paragraph = { text: '', level: 0, bullet: undefined };
		this.paragraphs.push(this.#paragraph);
	}

	#add(text: string): void {
		// PowerPoint writes breaks within a title as vertical tabs.
		if (this.#paragraph) this.#paragraph.text += text.replaceAll('\v', '\n');
	}

	#showNumber(): void {
		this.#isSlideNumber = true;
		this.#add(slideNumber);
	}

	#setBullet(bullet: Bullet | undefined): void {
		if (!bullet) return;
		if (this.#styled !== undefined) this.bullets.set(this.#styled, bullet);
		else if (this.#paragraph) this.#paragraph.bullet = bullet;
	}
}

/** The lines of a text without its bullets. */
export function plainLines({ paragraphs }: TextBody): string[] {
	return paragraphs.map(({ text }) => text.trim()).filter((text) => text !== '');
}

function levelOf({ lvl }: Attributes): number {
	const level = Number(lvl ?? 0);
	return level >= 0 && level <= 8 ? level : 0;
}

function bulletOf(name: string, attributes: Attributes): Bullet | undefined {
	if (name === 'a:buNone') return { kind: 'none' };
	if (name === 'a:buChar' || name === 'a:buBlip') return { kind: 'sign' };
	if (name !== 'a:buAutoNum') return undefined;
	return {
		kind: 'number',
		scheme: attributes.type ?? 'arabicPeriod',
		start: Number(attributes.startAt ?? 1),
	};
}
