/** A run of letters and digits, or one character of a script without spaces between words. */
const word =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+(?:[.,'’]\p{N}+)*/gu;
/** Maximum characters of a word, and words of a question. */
const maxLength = 40;
const maxTerms = 32;
/** Maximum characters of a question that are read. */
const maxQuestion = 20_000;

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
	return words.filter((term) => term.length <= maxLength).map(termOf);
}

/** The distinct terms to search for. Of a long question, only the last ones. */
export function questionTerms(question: string): readonly string[] {
	const words = question.slice(-maxQuestion).toLowerCase().match(word) ?? [];
	const significant = words.filter((term) => !ignored.has(term) && (term.length > 1 || !/[a-z]/.test(term)));
	return [...new Set(termsOf(significant.join(' ')))].slice(-maxTerms);
}

function termOf(term: string): string {
	return term.length > 4 ? term.replace(/(?:ing|ed|es|s|e)$/, '') : term;
}
