import type { Destination, Edge } from './destinations.ts';

/** Headers and footers, each different text once. Those of first and of even pages count only where the document has such pages. */
export class Edges {
	readonly #texts: Readonly<Record<Edge, Set<string>>> = {
		header: new Set(),
		firstHeader: new Set(),
		evenHeader: new Set(),
		footer: new Set(),
		firstFooter: new Set(),
		evenFooter: new Set(),
	};
	#hasFirst = false;
	#hasEven = false;

	/** Takes the control words that say which pages differ. */
	word(name: string): void {
		if (name === 'titlepg') this.#hasFirst = true;
		else if (name === 'facingp') this.#hasEven = true;
	}

	add(edge: Edge, text: string): void {
		if (text) this.#texts[edge].add(text);
	}

	get headers(): readonly string[] {
		const { firstHeader, header, evenHeader } = this.#texts;
		return this.#shown(firstHeader, header, evenHeader);
	}

	get footers(): readonly string[] {
		const { firstFooter, footer, evenFooter } = this.#texts;
		return this.#shown(firstFooter, footer, evenFooter);
	}

	#shown(first: Iterable<string>, all: Iterable<string>, even: Iterable<string>): string[] {
		return [...new Set([...(this.#hasFirst ? first : []), ...all, ...(this.#hasEven ? even : [])])];
	}
}

/** Tells whether a destination is a header or a footer. */
export function isEdge(place: Destination): place is Edge {
	return /header$|footer$/i.test(place);
}
