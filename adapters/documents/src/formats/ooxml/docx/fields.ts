/** Follows the fields of a document: what stands in their instructions is not shown, their results are. */
export class Fields {
	readonly #open: { isResult: boolean }[] = [];
	#instructions = 0;

	/** Whether text at this place is shown. */
	get isShown(): boolean {
		return this.#instructions === 0;
	}

	/** A `w:fldChar`: `begin`, `separate` or `end`. */
	mark(type: string | undefined): void {
		if (type === 'begin') {
			this.#open.push({ isResult: false });
			this.#instructions += 1;
			return;
		}
		const field = type === 'end' ? this.#open.pop() : this.#open.at(-1);
		if (!field || field.isResult) return;
		field.isResult = true;
		this.#instructions -= 1;
	}

	/** The end of a paragraph: an instruction that goes on would hide the rest of a damaged document, so that all fields are over. */
	endParagraph(): void {
		if (this.#instructions === 0) return;
		this.#open.length = 0;
		this.#instructions = 0;
	}
}
