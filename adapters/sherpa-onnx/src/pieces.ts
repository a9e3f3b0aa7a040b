/** Maximum characters of a piece. Longer sentences are divided, so that the first sound and an abort come early. */
const maxLength = 300;
/** A text that ends like `Dr.` or `J. R.` is not divided there: the voice decides whether the sentence has ended. */
const abbreviation = /(?<!\p{L})\p{Lu}\p{L}{0,3}\.$/u;

/** Divides a text into sentences, and long ones at a comma or a space. Leaves out what has no letter and no digit. */
export function toPieces(text: string): readonly string[] {
	const sentences: string[] = [];
	// The engine reads UTF-8, which cannot represent half a surrogate pair.
	for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text.toWellFormed())) {
		const end = sentences.at(-1)?.trimEnd().slice(-8) ?? '';
		sentences.push(abbreviation.test(end) ? sentences.pop() + segment : segment);
	}
	return sentences.flatMap((sentence) => divide(sentence.trim())).filter((piece) => /[\p{L}\p{N}]/u.test(piece));
}

function divide(sentence: string): readonly string[] {
	if (sentence.length <= maxLength) return [sentence];
	const head = sentence.slice(0, maxLength);
	const [end = maxLength] = [head.search(/[,;:、，；：—][^,;:、，；：—]*$/) + 1, head.search(/\s\S*$/)].filter(
		(at) => at > maxLength / 3,
	);
	// Not inside a surrogate pair.
	const at = /[\ud800-\udbff]$/.test(sentence.slice(0, end)) ? end - 1 : end;
	return [sentence.slice(0, at).trim(), ...divide(sentence.slice(at).trim())];
}
