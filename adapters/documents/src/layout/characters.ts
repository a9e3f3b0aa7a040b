const wide =
	/[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]/u;
const wideAll = new RegExp(wide.source, 'gu');
const marks = /\p{M}/gu;
const plain = /^[\u0020-\u02FF]*$/;
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/gu;
const letters = /\p{L}/gu;
// Control characters, noncharacters, and what only steers display.
const unseen =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
	/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFFE\uFFFF]/g;
const blanks = /[\t\n\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]/g;
// Ligatures and joined forms are typesetting. Other compatibility characters (², ½, Ⅳ) mean something.
const joined = /[\uFB00-\uFB06\uFB13-\uFB17\uFB50-\uFDFF\uFE70-\uFEFC]+/g;

/** Text as a reader sees it: NFC, ordinary blanks, ligatures spelled out, nothing invisible. */
export function cleanText(text: string): string {
	// Most text is plain, and this is called for every item.
	if (/^[\u0020-\u007E]*$/.test(text)) return text;
	return text
		.replace(blanks, ' ')
		.replace(unseen, '')
		.replace(joined, (form) => form.normalize('NFKC'))
		.replaceAll('\u00AD', '-')
		.normalize('NFC');
}

/** How many columns a text takes on a terminal: wide characters take two, marks none. */
export function columnsOf(text: string): number {
	if (plain.test(text)) return text.length;
	const base = text.replace(marks, '');
	return [...base].length + (base.match(wideAll)?.length ?? 0);
}

/** Whether a character takes two columns: scripts that write no blanks between words. */
export function isWide(character: string | undefined): boolean {
	return character !== undefined && wide.test(character);
}

/** Letters of a text, and how many of them are written from right to left. */
export function lettersOf(text: string): { readonly all: number; readonly rightToLeft: number } {
	let all = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code < latin.length) all += latin[code] as number;
		// General punctuation: quotation marks and dashes, but no letter.
		else if (code < 0x2010 || code > 0x203a) return lettersOfAny(text);
	}
	return { all, rightToLeft: 0 };
}

/** 1 for the letters among the first characters: most texts have no others, and this is asked for every one. */
const latin = Uint8Array.from({ length: 0x250 }, (_, code) => (/\p{L}/u.test(String.fromCharCode(code)) ? 1 : 0));

function lettersOfAny(text: string) {
	return {
		all: text.match(letters)?.length ?? 0,
		rightToLeft: text.match(rightToLeft)?.length ?? 0,
	};
}

/** Whether a text holds letters that are written from right to left. */
export function hasRightToLeft(text: string): boolean {
	return lettersOf(text).rightToLeft > 0;
}

/** Whether most letters of a text are written from right to left. */
export function isRightToLeft(text: string): boolean {
	if (plain.test(text)) return false;
	const { all, rightToLeft: back } = lettersOf(text);
	return back * 2 > all;
}
