/** The most similar name: at most three edits away, and fewer edits than it has letters. Undefined without one. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
	let best: { readonly other: string; readonly distance: number } | undefined;
	for (const other of names) {
		const edits = distance(name.toLowerCase(), other.toLowerCase());
		if (edits <= 3 && edits < other.length && edits < (best?.distance ?? 4)) {
			best = { other, distance: edits };
		}
	}
	return best?.other;
}

/** The Levenshtein distance: how many letters must be added, removed or replaced. */
function distance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (const [i, letter] of [...a].entries()) {
		const next = [i + 1];
		for (const [j, other] of [...b].entries()) {
			const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
			next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		row = next;
	}
	return row[b.length] ?? 0;
}

/** `an image`, `a video`. */
export function withArticle(noun: string): string {
	return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
