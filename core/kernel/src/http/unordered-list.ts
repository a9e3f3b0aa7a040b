/** What can lie in a bag. */
export interface UnorderedListItem {
	/** Where it lies; kept by the bag alone. -1: nowhere. */
	listIndex: number;
}

/**
 * Items in no order, each of which comes and goes by itself, as in a `Set`. One that lives long moves into new tables while items come and go, and V8 keeps the
 * old tables, with what was in them, until its next full collection: each request that is once in a `Set` of all requests outlives its end, and a busy server spends a
 * quarter of its time on that.
 */
export class UnorderedList<T extends UnorderedListItem> {
	readonly #items: T[] = [];

	/** How many items are in it. */
	get size(): number {
		return this.#items.length;
	}

	/** Puts in an item that is in no bag. */
	add(item: T): void {
		item.listIndex = this.#items.length;
		this.#items.push(item);
	}

	/** Takes an item out. False: it is not in this bag. */
	delete(item: T): boolean {
		const { listIndex } = item;
		if (this.#items[listIndex] !== item) return false;
		const last = this.#items.pop() as T;
		if (last !== item) {
			this.#items[listIndex] = last;
			last.listIndex = listIndex;
		}
		item.listIndex = -1;
		return true;
	}

	/** What is in it at the moment. */
	all(): T[] {
		return [...this.#items];
	}
}
