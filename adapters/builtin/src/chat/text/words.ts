/** Runs of letters and digits, with what joins them inside: `self-employed`, `1,458.33`, `INV-2024-001`, `a@b.org`. */
const tokenPattern = /[\p{L}\p{N}\p{M}]+(?:[-'’.,:/@_][\p{L}\p{N}\p{M}]+)*/gu;
const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const plain = /^[a-z]+$/;
/** Longer ones are no words, and stemming takes time that grows with the square of their length. */
const longestWord = 40;
const unfolded: Readonly<Record<string, string>> = {
	ł: 'l',
	ø: 'o',
	đ: 'd',
	ð: 'd',
	þ: 'th',
	ß: 'ss',
	æ: 'ae',
	œ: 'oe',
	ı: 'i',
};

const stopWords = new Set(
	(
		'a an and are as at be been being but by can could did do does for from had has have he her hers him his how i if in into is it its me my ' +
		'of on or our ours shall she should so than that the their theirs them then there these they this those to too up us was we were what when ' +
		'where which while who whom whose why will with would you your yours am must may might does about any also please tell show give let just not no nor'
	).split(' '),
);

/** The words of a text in order, lower-case and without accents; no stemming. */
export function wordsOf(text: string): readonly string[] {
	return fold(text).match(tokenPattern) ?? [];
}

/**
 * What a text is found by, repeats included: light stems of words, numbers without thousands separators, identifiers whole and in
 * parts, pairs of neighbours for scripts that do not part words. Stop words are kept.
 */
export function termsOf(text: string): string[] {
	const terms: string[] = [];
	for (const word of wordsOf(text)) addTerms(word, terms);
	return terms;
}

/** The terms of a text that say something: without stop words and repeats. */
export function contentTerms(text: string): string[] {
	const telling = wordsOf(text).filter((word) => !isStopWord(word));
	const terms: string[] = [];
	for (const word of telling) addTerms(word, terms);
	return [...new Set(terms)].filter((term) => !isStopWord(term));
}

/** Whether a word is too frequent to find anything by. */
export function isStopWord(word: string): boolean {
	return stopWords.has(word) || /^\p{L}$|n't$/u.test(word);
}

/** Lower case, accents off. */
export function fold(text: string): string {
	const lower = text.toLowerCase();
	// Most texts are ASCII, and normalising is the dearest step.
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
	if (/^[\x00-\x7f]*$/.test(lower)) return lower;
	return lower
		.normalize('NFD')
		.replace(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '')
		.normalize('NFC')
		.replace(/[łøđðþßæœı]/g, (letter) => unfolded[letter] ?? letter)
		.replaceAll('’', "'");
}

/** A light English stem: plurals, -ing, -ed, -ly, -ment and -ion go. Words with digits or other letters stay. */
export function stem(word: string): string {
	const bare = word.replace(/'s?$/, '');
	if (bare.length < 4 || bare.length > longestWord || !plain.test(bare)) return bare;
	return unsuffixed(undoneVerb(singular(bare)));
}

function addTerms(word: string, terms: string[]): void {
	if (cjk.test(word)) {
		addPairs(word, terms);
	} else if (/^\d/.test(word) && /^[\d.,]+$/.test(word)) {
		terms.push(number(word));
	} else if (/[-.,:/@_]/.test(word)) {
		terms.push(stem(word));
		for (const part of word.split(/[-.,:/@_]/)) if (part.length > 0) terms.push(stem(part));
	} else terms.push(stem(word));
}

function addPairs(word: string, terms: string[]): void {
	const letters = [...word];
	if (letters.length === 1) terms.push(word);
	for (let at = 0; at + 1 < letters.length; at++) terms.push(`${letters[at]}${letters[at + 1]}`);
}

function number(word: string): string {
	return word.replace(/[.,](?=\d{3}(?:\D|$))/g, '').replace(/[.,]$/, '');
}

function singular(word: string): string {
	if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
	if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
	return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function undoneVerb(word: string): string {
	if (word.endsWith('ied')) return `${word.slice(0, -3)}y`;
	const base = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(word)?.[1];
	if (!base || base.length < 3) return word;
	return /([bdfgmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}

function unsuffixed(word: string): string {
	for (const [suffix, rest] of [
		['ation', 5],
		['ition', 5],
		['ion', 5],
		['ment', 5],
		['ly', 4],
		['e', 3],
	] as const)
		if (word.endsWith(suffix) && word.length - suffix.length >= rest) return word.slice(0, -suffix.length);
	return word;
}
