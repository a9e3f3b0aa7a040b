/** The name that is at most three keystrokes away, and fewer than its own letters; undefined when none is. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
	let found: { readonly other: string; readonly distance: number } | undefined;
	for (const other of names) {
		const away = distance(name.toLowerCase(), other.toLowerCase());
		if (away <= 3 && away < other.length && away < (found?.distance ?? 4)) {
			found = { other, distance: away };
		}
	}
	return found?.other;
}

/** How many letters must be added, taken away or replaced (Levenshtein). */
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
