/** The most similar name: at most three edits away, and fewer than either name has letters. Undefined without one. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
	const letters = [...name.toLowerCase()];
	let best: { readonly other: string; readonly edits: number } | undefined;
	for (const other of names) {
		const others = [...other.toLowerCase()];
		const edits = distance(letters, others);
		if (edits < Math.min(letters.length, others.length, best?.edits ?? 4)) best = { other, edits };
	}
	return best?.other;
}

/** The Levenshtein distance: how many letters must be added, removed or replaced. */
function distance(a: readonly string[], b: readonly string[]): number {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (const [i, letter] of a.entries()) {
		const next = [i + 1];
		for (const [j, other] of b.entries()) {
			const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
			next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		row = next;
	}
	return row[b.length] ?? 0;
}

/** A path in a value: `images[3].image_url`. Empty for the whole. */
export function pathName(path: readonly PropertyKey[]): string {
	const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
	return steps.join('').replace(/^\./, '');
}

/** `an image`, `a video`. */
export function withArticle(noun: string): string {
	return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
