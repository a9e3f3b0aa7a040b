import { cleanLine } from '../scene/prompt.ts';

/** What a prompt wants to be written on the picture, and the prompt without it. */
export interface Quotation {
	/** One clean line of at most 300 characters. */
	readonly text: string;
	readonly rest: string;
	/** True when the prompt quotes more passages, which are not written. */
	readonly more: boolean;
}

/** Passages in double quotes of any language. An inch mark behind a number opens none. */
const double = /(?<![\p{L}\p{N}])["“„«»]\s*([^"“”„«»]{1,300}?)\s*["“”«»](?![\p{L}\p{N}])|「([^「」]{1,300})」/u;
/** Single quotes are apostrophes as well: they count behind a word that announces writing, or around a capital letter. */
const single =
	/(?<=\b(?:says?|saying|reads?|reading|words?|text|caption|captioned|titled?|sign|written|labell?ed|named|called)[\s:,]+)['‘‚]([^'‘’‚\n]{1,300}(?:['’]\p{L}[^'‘’‚\n]{0,100})*)['’‘](?![\p{L}\p{N}])|(?<![\p{L}\p{N}])['‘‚](\p{Lu}[^'‘’‚\n]{1,200}(?:['’]\p{L}[^'‘’‚\n]{0,100})*)['’‘](?![\p{L}\p{N}])/iu;
/** `caption: …` up to the end of its line or sentence. */
const labelled = /\b(?:caption|title|text|words|slogan|headline)\s*:\s*([^\n;]{1,300}?)(?=[;\n]|[.]\s|$)/iu;
/** `that says Welcome Home`: words with capital letters and numbers, as many as follow each other. */
const announced =
	/\b(?:(?:sign|poster|banner|card|board|text|it|that|which) (?:says|reads)|says|saying|with the (?:words?|text|caption|title)|the words?|captioned|titled)\s+((?:\p{Lu}[\p{L}\p{N}'’&!?-]*)(?:\s+(?:\p{Lu}|\p{N}|&)[\p{L}\p{N}'’&!?%-]*(?:[/:.][\p{L}\p{N}][\p{L}\p{N}'’&!?%-]*){0,4}){0,15})/u;

/** Single quotes, which are many in a long text, are looked for in so many characters. */
const SEARCHED = 8000;

/** Finds the passage that is to be written: in quotes, behind `caption:`, or behind `that says`. */
export function quotationIn(prompt: string): Quotation | undefined {
	// Passages are looked for line by line only where a line ends them.
	const lines = prompt.slice(0, 32_000).replace(/[^\S\n]+/gu, ' ');
	for (const pattern of [double, single, labelled, announced]) {
		const found = pattern.exec(pattern === single ? lines.slice(0, SEARCHED) : lines);
		const text = cleanLine(found?.[1] ?? found?.[2] ?? '').replace(/^[,;:]+|[,;]+$/gu, '');
		if (!found || !/[\p{L}\p{N}\p{S}\p{P}]/u.test(text)) continue;
		const rest = `${lines.slice(0, found.index)} ${lines.slice(found.index + found[0].length)}`;
		return { text, rest, more: double.test(rest) };
	}
	return undefined;
}
