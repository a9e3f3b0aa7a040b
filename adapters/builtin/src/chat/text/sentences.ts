/** Longer ones are no sentences but runs of data: they are divided. */
const longest = 700;
const boundary = /[.!?…؟۔।]+["”’')\]]*\d{0,2}\s+(?=["“‘'([¿¡]*[\p{Lu}\p{Lo}\p{N}])|[。！？]["”’」』）]*\s*/gu;
const titles =
	/(?:^|[\s(\d])(?:Dr|Mr|Mrs|Ms|Prof|St|Gen|Col|Capt|Lt|Sgt|Rev|Hon|Gov|Sen|Rep|vs|cf|approx|e\.g|i\.e|Messrs|Mme|Mlle|ul|al|Arts?|Pub|Stat)\.\s*$/i;
const numberedThings =
	/(?:^|[\s(\d])(?:No|Nos|Nr|Fig|Figs|Vol|p|pp|Sec|Ch|Ref|Tel|Ext|Apt|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.\s*$/i;
const initial = /(?:^|[\s(.])\p{Lu}\.\s*$/u;
const starter = /^(?:The|It|In|This|These|An|He|She|We|They|However|If|When|But|At|On|For|As|There)\b/;

/** Splits a paragraph into its sentences, verbatim but for blanks at their ends. */
export function sentencesOf(paragraph: string): readonly string[] {
	const sentences: string[] = [];
	let start = 0;
	for (const match of paragraph.matchAll(boundary)) {
		const end = match.index + match[0].length;
		if (!ends(paragraph.slice(Math.max(start, end - 24), end), paragraph.slice(end, end + 24))) continue;
		sentences.push(paragraph.slice(start, end).trim());
		start = end;
	}
	sentences.push(paragraph.slice(start).trim());
	return sentences.filter((sentence) => sentence !== '').flatMap(divided);
}

/** Whether a full stop ends a sentence, by what stands before and behind it. */
function ends(before: string, after: string): boolean {
	if (titles.test(before)) return false;
	if (numberedThings.test(before)) return !/^["“(]*\p{N}/u.test(after) && !initial.test(before);
	if (initial.test(before)) return starter.test(after);
	return true;
}

function divided(sentence: string): readonly string[] {
	if (sentence.length <= longest) return [sentence];
	const parts: string[] = [];
	let rest = sentence;
	while (rest.length > longest) {
		const cut = lastBreak(rest.slice(0, longest));
		parts.push(rest.slice(0, cut).trim());
		rest = rest.slice(cut);
	}
	return [...parts, rest.trim()].filter((part) => part !== '');
}

function lastBreak(text: string): number {
	const clause = Math.max(text.lastIndexOf('; '), text.lastIndexOf(', '));
	if (clause > longest / 2) return clause + 1;
	const blank = text.lastIndexOf(' ');
	return blank > 0 ? blank : text.length;
}
