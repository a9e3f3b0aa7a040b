/** What can lie in a bag. */
export interface BagItem {
	/** Where it lies; kept by the bag alone. -1: nowhere. */
	bagIndex: number;
}

/**
 * Items in no order, each of which comes and goes by itself, as in a `Set`. One that lives long moves into new tables while items come and go, and V8 keeps the
 * old tables, with what was in them, until its next full collection: each request that is once in a `Set` of all requests outlives its end, and a busy server spends a
 * quarter of its time on that.
 */
export class Bag<T extends BagItem> {
	readonly #items: T[] = [];

	/** How many items are in it. */
	get size(): number {
		return this.#items.length;
	}

	/** Puts in an item that is in no bag. */
	add(item: T): void {
		item.bagIndex = this.#items.length;
		this.#items.push(item);
	}

	/** Takes an item out. False: it is not in this bag. */
	delete(item: T): boolean {
		const { bagIndex } = item;
		if (this.#items[bagIndex] !== item) return false;
		const last = this.#items.pop() as T;
		if (last !== item) {
			this.#items[bagIndex] = last;
			last.bagIndex = bagIndex;
		}
		item.bagIndex = -1;
		return true;
	}

	/** What is in it at the moment. */
	all(): T[] {
		return [...this.#items];
	}
}
