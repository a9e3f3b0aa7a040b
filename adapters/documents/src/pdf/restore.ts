import type { EnginePage } from './engine.ts';
import type { PageContents } from './page-contents.ts';
import { hasPlainMarks, type Restore, restorerFrom } from './punctuation.ts';
import type { SecondEngine } from './second-engine.ts';

/**
 * LiteParse turns quotation marks and dashes into ASCII (2.14.7). The right ones are learned from the page's own content streams or, where these
 * stay encrypted, from the second engine's text of the page.
 */
export class Marks {
	readonly #contents: PageContents;
	/** Of files whose streams stay encrypted. */
	readonly #second: SecondEngine | undefined;

	constructor(contents: PageContents, second: SecondEngine | undefined) {
		this.#contents = contents;
		this.#second = second;
	}

	/** The page with the marks that it shows. */
	async restored(page: EnginePage): Promise<EnginePage> {
		if (!page.items.some(({ text }) => hasPlainMarks(text))) return page;
		const restore = restorerFrom(await this.#textsOf(page.page));
		return restore ? withMarks(page, restore) : page;
	}

	async #textsOf(page: number): Promise<string[]> {
		if (!this.#second) return this.#contents.texts(page);
		const other = await this.#second.page(page);
		return other ? [other.items.map(({ text }) => text).join(' ')] : [];
	}
}

// Letters of neighbouring items are surroundings, too. No engine gives this character.
const separator = '\u0001';

function withMarks(page: EnginePage, restore: Restore): EnginePage {
	const texts = restore(page.items.map(({ text }) => text).join(separator)).split(separator);
	if (texts.length !== page.items.length) return page;
	return {
		...page,
		items: page.items.map((item, index) => ({ ...item, text: texts[index] ?? item.text })),
	};
}
