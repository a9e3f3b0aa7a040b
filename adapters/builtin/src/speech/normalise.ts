/** Text as flite reads it well: printable ASCII and line feeds; blank lines part paragraphs. */
export interface PlainText {
	readonly text: string;
	/** Letters of scripts that the voices cannot pronounce, left out. */
	readonly dropped: number;
}

type Rule = readonly [RegExp, string | ((...groups: string[]) => string)];

// Bounded, so that a long run of digits is not tried again from each of them.
const amount = String.raw`\d[\d,]{0,40}(?:\.\d{1,20})?`;
const scale = String.raw`(?:\s(?:thousand|million|billion|trillion)\b)?`;
const currencies: Readonly<Record<string, readonly [one: string, many: string, cents: string]>> = {
	'€': ['euro', 'euros', 'cents'],
	'£': ['pound', 'pounds', 'pence'],
	'¥': ['yen', 'yen', 'sen'],
	'₹': ['rupee', 'rupees', 'paise'],
};

/** Before compatibility folding, which would turn 2½ into 21/2 and m² into m2. */
const beforeFolding: readonly Rule[] = [
	// Ruled lines and the like are said once.
	[/([^\p{L}\p{N}\s.!?])\1{2,}/gu, '$1'],
	[/(\d)?½/g, (_all, digit = '') => `${digit} 1/2`],
	[/(\d)?¼/g, (_all, digit = '') => `${digit} 1/4`],
	[/(\d)?¾/g, (_all, digit = '') => `${digit} 3/4`],
	[/²/g, ' squared'],
	[/³/g, ' cubed'],
	[/[™®©]/g, ''],
	[/…/g, '...'],
];

const rules: readonly Rule[] = [
	[/\r\n?|[\u2028\u0085]/g, '\n'],
	[/\u2029/g, '\n\n'],
	// Before any rule that looks for blanks around a sign: runs of them are short from here on.
	[/[^\S\n]+/g, ' '],
	[/\n{3,}/g, '\n\n'],
	[/[‘’‚‛′`´]/g, "'"],
	[/[“”„‟″«»]/g, '"'],
	[/(\d)\s?[–—−]\s?(?=\d)/g, '$1-'],
	[/[‐‑‒−]|(?<=\w)–(?=\w)/g, '-'],
	[/\s{0,4}(?:[–—―]|(?<![-\w])-{2,}(?!\w))\s{0,4}/g, ', '],
	[new RegExp(`([€£¥₹])\\s?(${amount})(${scale})`, 'g'), (_all, sign, value, unit) => money(sign, value, unit)],
	[new RegExp(`(${amount})\\s?([€£¥₹])`, 'g'), (_all, value, sign) => money(sign, value, '')],
	[/[€£¥₹]/g, (sign) => ` ${currencies[sign]?.[1]} `],
	[new RegExp(`(?<![\\w$])(${amount})\\s?\\$(?!\\s?\\d)`, 'g'), '$$$1'],
	[/\$(?!\s?\d)/g, ' dollar '],
	[/\$\s(?=\d)/g, '$'],
	[/\s?%/g, ' percent '],
	[/°\s?C\b/g, ' degrees Celsius '],
	[/°\s?F\b/g, ' degrees Fahrenheit '],
	[/°/g, ' degrees '],
	[/&(?:amp;)?/g, ' and '],
	[/@/g, ' at '],
	[/\+/g, ' plus '],
	[/×|(?<=\d)\s?\*\s?(?=\d)/g, ' times '],
	[/÷/g, ' divided by '],
	[/±/g, ' plus or minus '],
	[/≈/g, ' about '],
	[/≠|!=/g, ' is not equal to '],
	[/≤|<=/g, ' is at most '],
	[/≥|>=/g, ' is at least '],
	[/(?<=[\w)])\s?=\s?(?=[\w(])/g, ' equals '],
	[/(?<=\d\s?)<(?=\s?\d)|\s<(?=\s)/g, ' is less than '],
	[/(?<=\d\s?)>(?=\s?\d)|\s>(?=\s)/g, ' is greater than '],
	[/#(?=\d)/g, ' number '],
	[/:\/\//g, ', '],
	[/(?<!\d)\/|\/(?!\d)/g, ' '],
	[/^[ \t]*[•·▪‣◦*-][ \t]+/gm, '- '],
	[/•|·|‣/g, ', '],
];

const letters: Readonly<Record<string, string>> = {
	ß: 'ss',
	ẞ: 'SS',
	æ: 'ae',
	Æ: 'Ae',
	œ: 'oe',
	Œ: 'Oe',
	ø: 'o',
	Ø: 'O',
	ł: 'l',
	Ł: 'L',
	đ: 'd',
	Đ: 'D',
	ð: 'th',
	Ð: 'Th',
	þ: 'th',
	Þ: 'Th',
	ı: 'i',
};

/**
 * Writes signs as words (`€5` is "5 euros"), folds typographic punctuation and accented Latin letters to ASCII, and leaves out
 * emoji, control characters and other scripts. Numbers, `$` amounts, dates and common abbreviations stay for flite.
 */
export function normalise(input: string): PlainText {
	const folded = apply(beforeFolding, input).normalize('NFKC').replace(/[⁄∕]/g, '/');
	const spelled = apply(rules, folded)
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(/[^\0-\x7f]/gu, (character) => letters[character] ?? character);
	const foreign = spelled.match(/(?![\0-\x7f])\p{L}/gu);
	const text = spelled
		.replace(/[^\n\x20-\x7e]/gu, ' ')
		.replace(/[\\^_~|{}[\]<>*=#]/g, ' ')
		.replace(/ +([,.;:!?])/g, '$1')
		.replace(/ *\n */g, '\n')
		.replace(/ {2,}/g, ' ')
		.trim();
	return { text, dropped: foreign?.length ?? 0 };
}

/** Whether anything in a normalised text has a sound. */
export function isSpeakable(text: string): boolean {
	return /[A-Za-z0-9]/.test(text);
}

function apply(steps: readonly Rule[], text: string): string {
	return steps.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement as string), text);
}

function money(sign: string, value: string, unit: string): string {
	const [one = '', many = '', cents = ''] = currencies[sign] ?? [];
	const [whole = '', part = ''] = value.replace(/,$/, '').split('.');
	const comma = value.endsWith(',') ? ',' : '';
	if (unit) return `${value.replace(/,$/, '')}${unit} ${many}${comma}`;
	const name = whole === '1' ? one : many;
	if (part.length === 2 && Number(part) > 0) return `${whole} ${name} and ${Number(part)} ${cents}${comma}`;
	return part && Number(part) > 0 ? `${whole}.${part} ${many}${comma}` : `${whole} ${name}${comma}`;
}
