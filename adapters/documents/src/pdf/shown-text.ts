import { type Encoding, encodingOf, unicodeMap } from './glyphs.ts';
import { type PdfObjects, referenceOf } from './objects.ts';

interface Font {
	readonly codes: Encoding;
	/** Bytes of a code. */
	readonly size: 1 | 2;
}

/**
 * The texts of a document's pages and forms in the order of their content streams: without places, blanks or pages. Empty where streams are
 * encrypted.
 */
export function shownTexts(objects: PdfObjects): string[] {
	const fonts = new Map<number, Font | undefined>();
	const fontOf = (number: number) => {
		if (!fonts.has(number)) fonts.set(number, readFont(objects, number));
		return fonts.get(number);
	};
	return objects.numbers.flatMap((number) => {
		const text = objects.text(number) ?? '';
		const isPage = /\/Type\s*\/Page(?!\w)/.test(text);
		if (!isPage && !/\/Subtype\s*\/Form(?!\w)/.test(text)) return [];
		const streams = isPage ? contentsOf(objects, text) : [number];
		const content = streams.map((stream) => objects.stream(stream) ?? '').join('\n');
		if (content.trim() === '') return [];
		const named = fontsOf(objects, text);
		return [decode(content, (name) => fontOf(named.get(name) ?? -1))];
	});
}

function contentsOf(objects: PdfObjects, page: string): number[] {
	const [, list, single] = /\/Contents\s*(?:\[([^\]]*)\]|(\d+)\s+\d+\s+R)/.exec(page) ?? [];
	if (list !== undefined) return references(list);
	const text = objects.text(Number(single))?.trim() ?? '';
	return text.startsWith('[') ? references(text) : [Number(single)];
}

function references(list: string): number[] {
	return [...list.matchAll(/(\d+)\s+\d+\s+R/g)].map(([, number]) => Number(number));
}

/** Font numbers by their names in the resources of a page or form, or of what the page inherits from. */
function fontsOf(objects: PdfObjects, owner: string): Map<string, number> {
	let at: string | undefined = owner;
	for (let depth = 0; at !== undefined && depth < 8; depth++) {
		const resources = referenceOf(at, 'Resources');
		const text: string = resources === undefined ? at : (objects.text(resources) ?? '');
		const fonts = referenceOf(text, 'Font');
		const [, inline] = /\/Font\s*<<([\s\S]*?)>>/.exec(text) ?? [];
		const list = fonts === undefined ? inline : objects.text(fonts);
		if (list !== undefined)
			return new Map(
				[...list.matchAll(/\/([^\s/<>[\]()]+)\s+(\d+)\s+\d+\s+R/g)].map(([, name = '', number]) => [
					name,
					Number(number),
				]),
			);
		const parent = referenceOf(at, 'Parent');
		at = parent === undefined ? undefined : objects.text(parent);
	}
	return new Map();
}

function readFont(objects: PdfObjects, number: number): Font | undefined {
	const text = objects.text(number);
	if (text === undefined) return undefined;
	const size = /\/Subtype\s*\/Type0/.test(text) ? 2 : 1;
	const map = referenceOf(text, 'ToUnicode');
	const codes = map === undefined ? undefined : objects.stream(map);
	if (codes !== undefined) return { codes: unicodeMap(codes), size };
	if (size === 2) return undefined;
	const encoding = referenceOf(text, 'Encoding');
	const differences = encoding === undefined ? text : objects.text(encoding);
	return { codes: encodingOf(text, differences ?? ''), size };
}

const tokens =
	/\/([^\s/[\]()<>]+)\s+-?[\d.]+\s+Tf|\(((?:\\[\s\S]|[^\\()]|\((?:\\[\s\S]|[^\\()]){0,999}\)){0,9999})\)|<([0-9A-Fa-f\s]+)>/g;

function decode(content: string, fontNamed: (name: string) => Font | undefined): string {
	let font: Font | undefined;
	let shown = '';
	for (const [, name, literal, hex] of content.matchAll(tokens)) {
		if (name !== undefined) font = fontNamed(name);
		else if (font)
			shown += textOf(literal === undefined ? fromHex(hex ?? '') : unescaped(literal), font);
	}
	return shown;
}

function textOf(bytes: string, { codes, size }: Font): string {
	let text = '';
	for (let at = 0; at + size <= bytes.length; at += size) {
		const high = size === 2 ? bytes.charCodeAt(at) << 8 : 0;
		text += codes.get(high + bytes.charCodeAt(at + size - 1)) ?? ' ';
	}
	return text;
}

function fromHex(hex: string): string {
	const digits = hex.replace(/\s/g, '');
	return Buffer.from(digits.length % 2 ? `${digits}0` : digits, 'hex').toString('latin1');
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function unescaped(literal: string): string {
	if (!literal.includes('\\')) return literal;
	return literal.replace(/\\(?:([0-7]{1,3})|(\r\n|[\s\S]))/g, (_, octal, character) => {
		if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
		return /[\r\n]/.test(character) ? '' : (escapes[character] ?? character);
	});
}
