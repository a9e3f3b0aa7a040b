import { type Encoding, encodingOf, flattened, unicodeMap } from './glyphs.ts';
import { type PdfObjects, pagesOf, referenceOf } from './objects.ts';
import { catalogueOf, leavesOf, referencesIn } from './page-tree.ts';
import { hexBytes, unescaped } from './strings.ts';

interface Font {
	readonly codes: Encoding;
	/** Bytes of a code. */
	readonly size: 1 | 2;
	/** Whether one of its codes is a mark that engines flatten. */
	readonly hasMarks: boolean;
}

/** Fonts by their names in the resources of one page or form. */
type Fonts = ReadonlyMap<string, Font | undefined>;

/** Forms (drawings used by pages) that are looked at for one page, in all. */
const maxForms = 50;

/** What the objects of a file tell of its pages, which are counted from 1. */
export class PageContents {
	readonly #objects: PdfObjects;
	readonly #fonts = new Map<number, Font | undefined>();
	/** Object numbers of the pages, in order; empty where they cannot be told apart. */
	readonly #pages: readonly number[];

	constructor(objects: PdfObjects, pageCount: number) {
		this.#objects = objects;
		const orders = [() => leavesOf(objects, catalogueOf(objects)), () => pagesOf(objects)];
		this.#pages = orders.map((order) => order()).find((pages) => pages.length === pageCount) ?? [];
	}

	/**
	 * Texts as the content streams show them: without places or blanks. Only those that hold a mark which engines flatten, since nobody asks for
	 * others. None where streams stay encrypted.
	 */
	texts(page: number): string[] {
		return this.#streams(page).flatMap(({ content, text }) => {
			const fonts = this.#fontsOf(text);
			return mayHoldMarks(content, fonts) ? [decode(content, fonts)] : [];
		});
	}

	/** Whether the page may draw a picture. */
	hasPicture(page: number): boolean {
		const text = this.#objects.text(this.#pages[page - 1] ?? -1) ?? '';
		return referencesIn(this.#resource(text, 'XObject') ?? '')
			.slice(0, maxForms)
			.some((number) => /\/Subtype\s*\/Image/.test(this.#objects.text(number) ?? ''));
	}

	/** The content of a page and of the forms that it draws, with the text of the objects that own them. */
	#streams(page: number): { content: string; text: string }[] {
		const number = this.#pages[page - 1];
		const seen = new Set(number === undefined ? [] : [number]);
		const found: { content: string; text: string }[] = [];
		for (const owner of seen) {
			const text = this.#objects.text(owner) ?? '';
			const content = this.#contentOf(owner, text);
			if (content.trim() === '') continue;
			found.push({ content, text });
			for (const form of this.#drawn(text, content)) if (seen.size <= maxForms) seen.add(form);
		}
		return found;
	}

	#contentOf(owner: number, text: string): string {
		if (/\/Subtype\s*\/Form(?!\w)/.test(text)) return this.#objects.stream(owner) ?? '';
		const [, list, single] = /\/Contents\s*(?:\[([^\]]*)\]|(\d+)\s+\d+\s+R)/.exec(text) ?? [];
		const inner = list ?? this.#objects.text(Number(single))?.trim() ?? '';
		const streams = list !== undefined || inner.startsWith('[') ? referencesIn(inner) : [single];
		return streams.map((stream) => this.#objects.stream(Number(stream)) ?? '').join('\n');
	}

	/** Objects that a content stream draws by name, if it draws any. */
	#drawn(text: string, content: string): number[] {
		if (!/\bDo\b/.test(content)) return [];
		const list = this.#resource(text, 'XObject') ?? '';
		return referencesIn(list).filter((number) => /\/Subtype\s*\/Form(?!\w)/.test(this.#objects.text(number) ?? ''));
	}

	#fontsOf(text: string): Fonts {
		const list = this.#resource(text, 'Font') ?? '';
		const named = list.matchAll(/\/([^\s/<>[\]()]+)\s+(\d+)\s+\d+\s+R/g);
		return new Map([...named].map(([, name = '', number]) => [name, this.#font(Number(number))] as const));
	}

	/** A dictionary of the resources of a page or form, or of what the page inherits from. */
	#resource(owner: string, kind: string): string | undefined {
		let at: string | undefined = owner;
		for (let depth = 0; at !== undefined && depth < 8; depth++) {
			const resources = referenceOf(at, 'Resources');
			const text: string = resources === undefined ? at : (this.#objects.text(resources) ?? '');
			const reference = referenceOf(text, kind);
			const [, inline] = new RegExp(`/${kind}\\s*<<([\\s\\S]*?)>>`).exec(text) ?? [];
			const list = reference === undefined ? inline : this.#objects.text(reference);
			if (list !== undefined) return list;
			const parent = referenceOf(at, 'Parent');
			at = parent === undefined ? undefined : this.#objects.text(parent);
		}
		return undefined;
	}

	#font(number: number): Font | undefined {
		if (!this.#fonts.has(number)) this.#fonts.set(number, readFont(this.#objects, number));
		return this.#fonts.get(number);
	}
}

function readFont(objects: PdfObjects, number: number): Font | undefined {
	const text = objects.text(number);
	if (text === undefined) return undefined;
	const size = /\/Subtype\s*\/Type0/.test(text) ? 2 : 1;
	const map = referenceOf(text, 'ToUnicode');
	const codes = map === undefined ? undefined : objects.stream(map);
	if (codes !== undefined) return fontOf(unicodeMap(codes), size);
	if (size === 2) return undefined;
	const encoding = referenceOf(text, 'Encoding');
	const differences = encoding === undefined ? text : objects.text(encoding);
	return fontOf(encodingOf(text, differences ?? ''), size);
}

function fontOf(codes: Encoding, size: 1 | 2): Font {
	return { codes, size, hasMarks: [...codes.values()].some((text) => flattened.has(text)) };
}

/** Most pages hold none, and those with plain bytes say so quickly. */
function mayHoldMarks(content: string, fonts: Fonts): boolean {
	const marked = [...fonts.values()].filter((font) => font?.hasMarks);
	if (marked.length === 0) return false;
	const isSimple = marked.every((font) => font?.size === 1 && isWinAnsiLike(font.codes));
	if (!isSimple || /[[\s]<[0-9A-Fa-f]/.test(content)) return true;
	return /[\x80-\xff]|\\[2-3]/.test(content);
}

/** All its marks lie beyond ASCII. */
function isWinAnsiLike(codes: Encoding): boolean {
	return codes.entries().every(([code, text]) => code > 127 || !flattened.has(text));
}

const tokens =
	/\/([^\s/[\]()<>]+)\s+-?[\d.]+\s+Tf|\(((?:\\[\s\S]|[^\\()]|\((?:\\[\s\S]|[^\\()]){0,999}\)){0,9999})\)|<([0-9A-Fa-f\s]+)>/g;

function decode(content: string, fonts: Fonts): string {
	let font: Font | undefined;
	let shown = '';
	for (const [, name, literal, hex] of content.matchAll(tokens)) {
		if (name !== undefined) font = fonts.get(name);
		else if (font) shown += textOf(literal === undefined ? fromHex(hex ?? '') : unescaped(literal), font);
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
	return hexBytes(hex).toString('latin1');
}
