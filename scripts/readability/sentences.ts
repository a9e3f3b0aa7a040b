/** The sentences of a Markdown page, as lists of words. Code, tables, headings, front matter and HTML are left out. */
export function sentencesOf(markdown: string): readonly (readonly string[])[] {
	return proseOf(markdown)
		.flatMap((block) => block.split(sentenceEnd))
		.map(wordsOf)
		.filter((words) => words.some((word) => word !== code));
}

/** The length of the sentences of a page, in words. */
export interface Readability {
	readonly sentences: number;
	readonly words: number;
	/** 0 for a page without a sentence. */
	readonly mean: number;
	/** The words of the longest sentence. */
	readonly longest: readonly string[];
}

export function readabilityOf(markdown: string): Readability {
	const sentences = sentencesOf(markdown);
	const words = sentences.reduce((sum, sentence) => sum + sentence.length, 0);
	const longest = sentences.reduce((long, sentence) => (sentence.length > long.length ? sentence : long), []);
	return { sentences: sentences.length, words, mean: words / Math.max(1, sentences.length), longest };
}

// A sentence ends at a full stop, a question mark or an exclamation mark before a capital, a digit or code.
const sentenceEnd =
	/(?<!\b(?:e\.g|i\.e|etc|vs|approx|Mr|Dr|No)\.)(?<=[.!?…]["”’)\]*_]*)\s+(?=["“‘([*_]*[\p{Lu}\d`@/])/u;

/** Paragraphs and list items, each as one line. */
function proseOf(markdown: string): readonly string[] {
	const bare = markdown
		.replace(/^---\n[\s\S]*?\n---\n/, '')
		.replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2 *$/gm, '\n')
		.replace(/<!--[\s\S]*?-->/g, '\n')
		.replace(/^ {0,3}(?:#{1,6} .*|\|.*|:::.*|<.*>) *$/gm, '\n');
	return bare
		.split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.) )/)
		.map((block) => block.replace(/^\s*(?:[-*+]|\d+\.) /, '').replace(/^> ?/gm, ''))
		.map((block) => block.replace(/\s+/g, ' ').trim())
		.filter(Boolean);
}

const code = 'code';

/** The words of the visible text. A piece of inline code counts as one word. */
function wordsOf(sentence: string): readonly string[] {
	return sentence
		.replace(/(`+)[\s\S]*?\1/g, code)
		.replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
		.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/https?:\/\/\S+/g, 'address')
		.split(/[\s/–—]+/)
		.filter((word) => /[\p{L}\p{N}]/u.test(word));
}
