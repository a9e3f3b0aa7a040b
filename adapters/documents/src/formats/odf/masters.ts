/** What stands on every page of a kind. */
export interface Master {
	readonly header: string[];
	readonly footer: string[];
	/** The kind of the page that follows. */
	readonly next: string | undefined;
}

/** The kinds of pages of a text: which it has, and which it uses. */
export class Masters {
	/** The kind that is being read. */
	current: Master | undefined;
	readonly #all = new Map<string, Master>();
	readonly #used = new Set<string>();

	/** A kind begins. */
	begin(name: string, next: string | undefined): void {
		this.current = { header: [], footer: [], next };
		this.#all.set(name, this.current);
	}

	/** A page of this kind is in the document. */
	use(name: string): void {
		this.#used.add(name);
	}

	/** The lines above or below the pages that the document uses, each once. */
	lines(place: 'header' | 'footer'): readonly string[] {
		// Documents whose first page is of no kind use the standard one.
		const names = this.#used.size > 0 && this.#all.size > 0 ? [...this.#used] : ['Standard'];
		// Each is gone through once, however many others it follows.
		const met = new Set<Master>();
		const found = new Set<string>();
		for (const name of new Set(['Standard', ...names])) {
			let master = this.#all.get(name);
			while (master && !met.has(master)) {
				met.add(master);
				for (const line of master[place]) found.add(line);
				master = this.#all.get(master.next ?? '');
			}
		}
		return [...found].filter((line) => !isPageNumber(line));
	}
}

/** A number that was different on every page says nothing. */
function isPageNumber(line: string): boolean {
	return !/\p{L}/u.test(line) && line.replace(/\D/g, '').length < 5;
}
