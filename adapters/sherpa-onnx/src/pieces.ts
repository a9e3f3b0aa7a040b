/** Longer sentences are divided, so that the first sound comes early and an abort is heard early; in characters. */
const maxLength = 300;
/** What ends like `Dr.` or `J. R.` goes on: the voice itself tells whether that is the end of a sentence. */
const abbreviation = /(?<!\p{L})\p{Lu}\p{L}{0,3}\.$/u;

/** Divides a text into sentences, and long ones at a comma or a space. Leaves out what has no letter and no digit. */
export function toPieces(text: string): readonly string[] {
	const sentences: string[] = [];
	// Half a surrogate pair is no text: the engine takes UTF-8.
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
