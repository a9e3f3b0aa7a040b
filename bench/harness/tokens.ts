/** The similarity of two texts, by their words in any order. */
export interface Likeness {
	/** Share of the reference's words that the text contains. */
	readonly recall: number;
	/** Share of the text's words that the reference contains. */
	readonly precision: number;
	/** The harmonic mean of both. */
	readonly f1: number;
}

/** Compares words: runs of letters and digits in NFKC, in any case. Two texts without words are equal. */
export function likenessOf(text: string, reference: string): Likeness {
	const [ours, theirs] = [countsOf(text), countsOf(reference)];
	const [all, wanted] = [sum(ours), sum(theirs)];
	let common = 0;
	for (const [word, count] of theirs) common += Math.min(count, ours.get(word) ?? 0);
	const recall = wanted === 0 ? 1 : common / wanted;
	const precision = all === 0 ? 1 : common / all;
	const f1 = all + wanted === 0 ? 1 : (2 * common) / (all + wanted);
	return { recall, precision, f1 };
}

/** The number of occurrences of each word in a text. */
export function countsOf(text: string): Map<string, number> {
	const counts = new Map<string, number>();
	for (const [word] of text
		.normalize('NFKC')
		.toLowerCase()
		.matchAll(/[\p{L}\p{N}]+/gu)) {
		counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	return counts;
}

function sum(counts: ReadonlyMap<string, number>): number {
	return counts.values().reduce((total, count) => total + count, 0);
}
