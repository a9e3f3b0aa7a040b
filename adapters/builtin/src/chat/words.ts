/** A run of letters and digits; one character of a script without spaces between words. */
const word =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+(?:[.,'’]\p{N}+)*/gu;
/** Maximum characters of a word, and words of a question. */
const longest = 40;
const mostTerms = 32;

/** Common English words, and words for documents in general. The search ignores both. */
const ignored = new Set(
	(
		'a about all an and any are as at attached be been but by can contents could did do does document documents each ' +
		'explain file files find for from get give had has have he her his how i if in into is it its let like made make ' +
		'may me my no not of on or our out overview page pages pdf please quote quoted say says sentence sentences shall ' +
		'she should show so some summarise summarize summary tell text than that the their them then there these they ' +
		'this those to up us was we were what when where which who whom whose why will with would you your'
	).split(' '),
);

/** The words of a text in the form in which they are compared: lower case, no accents, no common English ending. */
export function termsOf(text: string): string[] {
	const words =
		text
			.normalize('NFKD')
			.replace(/\p{M}+/gu, '')
			.toLowerCase()
			.match(word) ?? [];
	return words.filter((one) => one.length <= longest).map(termOf);
}

/** The distinct terms to search for: the last ones of a long question. */
export function questionTerms(question: string): readonly string[] {
	const words = question.toLowerCase().match(word) ?? [];
	const telling = words.filter((one) => !ignored.has(one) && (one.length > 1 || !/[a-z]/.test(one)));
	return [...new Set(termsOf(telling.join(' ')))].slice(-mostTerms);
}

function termOf(one: string): string {
	return one.length > 4 ? one.replace(/(?:ing|ed|es|s|e)$/, '') : one;
}
