/** Marks that some engines flatten to ASCII, and what they flatten them to. */
export const flattened: ReadonlyMap<string, string> = new Map([
	...[...'‘’‚‛′'].map((mark): [string, string] => [mark, "'"]),
	...[...'“”„‟″'].map((mark): [string, string] => [mark, '"']),
	...[...'‐‑‒–—―−'].map((mark): [string, string] => [mark, '-']),
]);

/** From a code of a simple font to its text. */
export type Encoding = ReadonlyMap<number, string>;

const windows = '‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—';
const names: Readonly<Record<string, string>> = {
	quoteleft: '‘',
	quoteright: '’',
	quotesingle: "'",
	quotedblleft: '“',
	quotedblright: '”',
	quotedbl: '"',
	quotesinglbase: '‚',
	quotedblbase: '„',
	hyphen: '-',
	endash: '–',
	emdash: '—',
	minus: '−',
	fi: 'fi',
	fl: 'fl',
	ff: 'ff',
	ffi: 'ffi',
	ffl: 'ffl',
	zero: '0',
	one: '1',
	two: '2',
	three: '3',
	four: '4',
	five: '5',
	six: '6',
	seven: '7',
	eight: '8',
	nine: '9',
};

const ascii = Array.from({ length: 95 }, (_, at): [number, string] => [at + 32, String.fromCharCode(at + 32)]);
const winAnsi: Encoding = new Map([...ascii, ...[...windows].map((mark, at): [number, string] => [130 + at, mark])]);
const macRoman: Encoding = new Map([...ascii, ...[...'–—“”‘’'].map((mark, at): [number, string] => [208 + at, mark])]);
/** What fonts of Adobe mean by their own encoding. */
const standard: Encoding = new Map([
	...ascii,
	[39, '’'],
	[96, '‘'],
	[170, '“'],
	[177, '–'],
	[186, '”'],
	[208, '—'],
	[174, 'fi'],
	[175, 'fl'],
]);
/** The encoding of TeX's first fonts. */
const tex: Encoding = new Map([
	...ascii,
	...['ff', 'fi', 'fl', 'ffi', 'ffl'].map((text, at): [number, string] => [11 + at, text]),
	[34, '”'],
	[39, '’'],
	[92, '“'],
	[96, '‘'],
	[123, '–'],
	[124, '—'],
]);

/** The encoding that a simple font's dictionary describes; `differences` is the text of its encoding object, if it has one. */
export function encodingOf(font: string, differences: string): Encoding {
	const found = new Map(baseOf(`${font} ${differences}`));
	const [, list = ''] = /\/Differences\s*\[([^\]]*)\]/.exec(differences) ?? [];
	let code = 0;
	for (const [token, name] of list.matchAll(/\d+|\/([^\s/]+)/g)) {
		if (name === undefined) code = Number(token);
		else found.set(code++, names[name] ?? (name.length === 1 ? name : ' '));
	}
	return found;
}

function baseOf(text: string): Encoding {
	if (text.includes('WinAnsiEncoding')) return winAnsi;
	if (text.includes('MacRomanEncoding')) return macRoman;
	return /\/BaseFont\s*\/(?:[A-Z]{6}\+)?CM[A-Z]+\d/.test(text) ? tex : standard;
}

/** The codes of a ToUnicode map (ISO 32000-1, 9.10.3) with their texts. */
export function unicodeMap(map: string): Encoding {
	const found = new Map<number, string>();
	for (const [, body = ''] of map.matchAll(/beginbfchar([\s\S]*?)endbfchar/g))
		for (const [, code = '', text = ''] of body.matchAll(/<([^>]*)>\s*<([^>]*)>/g))
			found.set(Number.parseInt(code, 16), utf16(text));
	for (const [, body = ''] of map.matchAll(/beginbfrange([\s\S]*?)endbfrange/g))
		for (const [, from = '', to = '', text, list] of body.matchAll(
			/<([^>]*)>\s*<([^>]*)>\s*(?:<([^>]*)>|\[([^\]]*)\])/g,
		))
			if (found.size < maxCodes) fill(found, Number.parseInt(from, 16), Number.parseInt(to, 16), text, list);
	return found;
}

const maxRange = 4_095;
const maxCodes = 65_536;

function fill(found: Map<number, string>, from: number, to: number, text?: string, list?: string) {
	const texts = [...(list ?? '').matchAll(/<([^>]*)>/g)].map(([, hex = '']) => utf16(hex));
	const first = utf16(text ?? '').codePointAt(0) ?? 32;
	for (let code = from; code <= Math.min(to, from + maxRange); code++) {
		const point = first + code - from;
		const single = point <= 0x10_ff_ff ? String.fromCodePoint(point) : ' ';
		found.set(code, list === undefined ? single : (texts[code - from] ?? ' '));
	}
}

function utf16(hex: string): string {
	const bytes = Buffer.from(hex.replace(/\s/g, ''), 'hex');
	return bytes.length % 2 === 0 ? bytes.swap16().toString('utf16le') : bytes.toString('latin1');
}
