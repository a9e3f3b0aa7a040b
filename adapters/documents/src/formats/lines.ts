/** Lines that are held apart before they are joined: each is an object of its own. */
const maxHeld = 4_096;

/** Lines of a text as they come. Many short ones take little more memory than their characters. */
export class Lines {
	#joined: string[] = [];
	#held: string[] = [];
	/** Empty lines at the end so far; a text begins as if it came after two. */
	#empty = 2;

	/** Nothing but empty lines came. */
	get isEmpty(): boolean {
		return this.#joined.length === 0 && this.#held.length === 0;
	}

	/** Adds a line, unless it would be the third empty one in a row, or stand empty at the beginning. */
	add(line: string): void {
		this.#empty = line === '' ? this.#empty + 1 : 0;
		if (this.#empty > 2) return;
		this.#held.push(line);
		if (this.#held.length < maxHeld) return;
		this.#joined.push(this.#held.join('\n'));
		this.#held = [];
	}

	toString(): string {
		return [...this.#joined, ...(this.#held.length > 0 ? [this.#held.join('\n')] : [])].join('\n');
	}
}
