import type { Attributes } from '../../../markup/xml.ts';
import type { PageBreak } from './blocks.ts';
import { isOn } from './styles.ts';

/** A header or footer of a section: which pages it is for, and the id of its relation. */
export interface Margin {
	readonly kind: 'header' | 'footer';
	readonly pages: string;
	readonly id: string;
}

interface Section {
	type: string;
	hasTitlePage: boolean;
	readonly margins: Margin[];
}

/** Follows the sections of a document: their properties come at their ends. */
export class Sections {
	readonly #all: Section[] = [];
	#open: Section | undefined;
	#last: PageBreak | undefined;

	/** Headers and footers that some page shows. Those of even pages count when the document has them at all. */
	margins(hasEvenPages: boolean): Margin[] {
		return this.#all.flatMap(({ margins, hasTitlePage }) =>
			margins.filter(({ pages }) => (pages !== 'first' || hasTitlePage) && (pages !== 'even' || hasEvenPages)),
		);
	}

	/** Within the properties of a section. */
	get isOpen(): boolean {
		return this.#open !== undefined;
	}

	begin(): void {
		this.#open = { type: 'nextPage', hasTitlePage: false, margins: [] };
	}

	/** Takes an element of a section's properties. */
	set(name: string, attributes: Attributes): void {
		const section = this.#open;
		if (!section) return;
		const value = attributes['w:val'];
		if (name === 'w:type') section.type = value ?? '';
		else if (name === 'w:titlePg') section.hasTitlePage = isOn(value);
		else if (name === 'w:headerReference' || name === 'w:footerReference') {
			const kind = name === 'w:headerReference' ? 'header' : 'footer';
			section.margins.push({
				kind,
				pages: attributes['w:type'] ?? 'default',
				id: attributes['r:id'] ?? '',
			});
		}
	}

	/** Ends a section. How it begins tells whether the section before it ended a page. */
	end(): void {
		if (!this.#open) return;
		const { type } = this.#open;
		if (this.#last && (type === 'continuous' || type === 'nextColumn')) this.#last.isPage = false;
		this.#all.push(this.#open);
		this.#open = undefined;
		this.#last = undefined;
	}

	/** The break after a section that has ended. */
	breakAfter(): PageBreak {
		this.#last = { kind: 'break', isPage: true };
		return this.#last;
	}

	/** A program has seen a new page begin right here, whatever the next section says. */
	confirm(): void {
		this.#last = undefined;
	}
}
