/** The silence after a piece of text. */
type Pause = 'none' | 'comma' | 'sentence' | 'paragraph' | 'end';

/** Text for one run of the synthesizer, printable ASCII. */
interface Piece {
	readonly text: string;
	readonly pause: Pause;
}

type Rule = readonly [RegExp, string | ((all: string, ...groups: string[]) => string)];

// Bounded, so that a long run of digits takes linear time.
const amount = String.raw`\d[\d,]{0,40}(?:\.\d{1,20})?`;
const scale = String.raw`(?:\s(?:thousand|million|billion|trillion)\b)?`;
const currencies: Readonly<Record<string, string>> = { '€': 'euro', '£': 'pound', '¥': 'yen', '₹': 'rupee' };
const letters: Readonly<Record<string, string>> = {
	ß: 'ss',
	æ: 'ae',
	œ: 'oe',
	ø: 'o',
	ł: 'l',
	đ: 'd',
	ð: 'th',
	þ: 'th',
};

const rules: readonly Rule[] = [
	[/\r\n?|[\u2028\u0085]/g, '\n'],
	// First, because later rules search for spaces around signs: runs of spaces are short from here on.
	[/[^\S\n]+/g, ' '],
	[/([^\p{L}\p{N}\s.!?])\1{2,}/gu, '$1'],
	[/[‘’‚′`´]/g, "'"],
	[/[“”„″«»]/g, '"'],
	[/(?<=\w)[‐‑‒–−](?=\w)|[‐‑‒−]/g, '-'],
	[/ {0,1}(?:[–—―]|(?<![-\w])--) {0,1}/g, ', '],
	[new RegExp(`([€£¥₹]) ?(${amount}${scale})`, 'g'), (_all, sign, value) => money(value, sign)],
	[new RegExp(`(${amount}) ?([€£¥₹])`, 'g'), (_all, value, sign) => money(value, sign)],
	[/[€£¥₹]/g, (sign) => ` ${currencies[sign]} `],
	[/\$(?! ?\d)/g, ' dollar '],
	[/\$ (?=\d)/g, '$'],
	[/%/g, ' percent '],
	[/° ?(?:([CF])\b)?/g, (_all, unit) => ` degrees ${unit ? (unit === 'C' ? 'Celsius ' : 'Fahrenheit ') : ''}`],
	[/&(?:amp;)?/g, ' and '],
	[/@/g, ' at '],
	[/\+/g, ' plus '],
	[/×|(?<=\d ?)\*(?= ?\d)/g, ' times '],
	[/(?<=[\w)] ?)=(?= ?[\w(])/g, ' equals '],
	[/#(?=\d)/g, ' number '],
	[/:\/\//g, ', '],
	[/(?<!\d)\/|\/(?!\d)/g, ' '],
	// Hard-wrapped lines belong together; headings and list items do not.
	[/(?<=[^\n]{50}[^\n.!?:;])\n(?!\n|[-•*]\s|\d+[.)]\s)/g, ' '],
	[/[•·]/g, ', '],
];

/** Up to 200 characters: to the last comma, else to the last space, else anywhere. */
const longestPiece = /.{80,199}[,;:](?= )|.{1,200}(?= |$)|.{1,200}/g;
const abbreviation =
	/(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Gen|Col|Lt|Sgt|Rev|vs|[Ff]ig|No|Vol|pp|approx|[Ee]\.g|[Ii]\.e|[A-Z])\.\s*$/;
// Created on first use: it takes 9 ms.
let segmenter: Intl.Segmenter | undefined;

/** Splits text at paragraphs, lines and sentences, long ones at commas or spaces. Every piece has a letter or digit. */
export function splitText(input: string): readonly Piece[] {
	const pieces = normalise(input)
		.split(/\n{2,}/)
		.flatMap((paragraph) => endedWith(paragraph.split('\n').flatMap(sentencesOf).flatMap(piecesOf), 'paragraph'));
	return endedWith(pieces, 'end');
}

/** Writes signs as words, folds typographic punctuation and accents to ASCII, and leaves out what is not ASCII. */
function normalise(input: string): string {
	const spelled = rules.reduce(
		(text, [pattern, replacement]) => text.replace(pattern, replacement as string),
		// `2½` becomes `2 1/2`, not `21/2`.
		input
			.replaceAll('…', '...')
			.replace(/(?<=\d)(?=[¼-¾])/g, ' ')
			.normalize('NFKC')
			.replaceAll('⁄', '/'),
	);
	return spelled
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(/[^\0-\x7f]/gu, (character) => letters[character.toLowerCase()] ?? ' ')
		.replace(/[^\n\x20-\x7e]|[\\^_~|{}[\]<>*=#]/g, ' ')
		.replace(/ {2,}/g, ' ')
		.replace(/ ([,.;:!?])/g, '$1')
		.replace(/ ?\n ?/g, '\n')
		.trim();
}

function money(value: string, sign: string): string {
	const name = currencies[sign] ?? '';
	const plural = value === '1' || name === 'yen' ? name : `${name}s`;
	return value.endsWith(',') ? `${value.slice(0, -1)} ${plural},` : `${value} ${plural}`;
}

function sentencesOf(line: string): readonly string[] {
	segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
	const sentences: string[] = [];
	for (const { segment } of segmenter.segment(line)) {
		const last = sentences.at(-1);
		if (last && (/^["'(]*[a-z]/.test(segment) || abbreviation.test(last))) sentences.push(sentences.pop() + segment);
		else sentences.push(segment);
	}
	return sentences;
}

function piecesOf(sentence: string): readonly Piece[] {
	const texts = (sentence.match(longestPiece) ?? []).map((text) => text.trim());
	const spoken = texts.filter((text) => /[A-Za-z0-9]/.test(text));
	return endedWith(
		spoken.map((text) => ({ text, pause: /[,;:]$/.test(text) ? 'comma' : 'none' })),
		'sentence',
	);
}

function endedWith(pieces: readonly Piece[], pause: Pause): readonly Piece[] {
	const last = pieces.at(-1);
	return last ? [...pieces.slice(0, -1), { ...last, pause }] : [];
}
