/** The prefix by which our readers know a namespace, whatever prefix the document chose for it. */
const prefixes: ReadonlyMap<string, string> = new Map(
	Object.entries({
		'http://schemas.openxmlformats.org/wordprocessingml/2006/main': 'w',
		'http://schemas.openxmlformats.org/spreadsheetml/2006/main': 'x',
		'http://schemas.openxmlformats.org/presentationml/2006/main': 'p',
		'http://schemas.openxmlformats.org/drawingml/2006/main': 'a',
		'http://schemas.openxmlformats.org/drawingml/2006/chart': 'c',
		'http://schemas.openxmlformats.org/drawingml/2006/diagram': 'dgm',
		'http://schemas.openxmlformats.org/drawingml/2006/picture': 'pic',
		'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing': 'wp',
		'http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing': 'xdr',
		'http://schemas.openxmlformats.org/officeDocument/2006/math': 'm',
		'http://schemas.openxmlformats.org/officeDocument/2006/relationships': 'r',
		'http://schemas.openxmlformats.org/package/2006/relationships': 'rel',
		'http://schemas.openxmlformats.org/package/2006/content-types': 'ct',
		'http://schemas.openxmlformats.org/package/2006/metadata/core-properties': 'cp',
		'http://schemas.openxmlformats.org/markup-compatibility/2006': 'mc',
		'http://schemas.microsoft.com/office/drawing/2014/chartex': 'cx',
		'http://schemas.microsoft.com/office/drawing/2008/diagram': 'dsp',
		'http://schemas.microsoft.com/office/word/2010/wordprocessingShape': 'wps',
		'http://schemas.microsoft.com/office/word/2010/wordprocessingGroup': 'wpg',
		'http://schemas.microsoft.com/office/powerpoint/2010/main': 'p14',
		'urn:schemas-microsoft-com:vml': 'v',
		'http://purl.org/dc/elements/1.1/': 'dc',
		'http://purl.org/dc/terms/': 'dcterms',
		'http://www.w3.org/1999/xlink': 'xlink',
		'http://www.w3.org/1999/xhtml': 'html',
		'http://www.w3.org/1998/Math/MathML': 'math',
		'http://www.w3.org/2000/svg': 'svg',
		'http://www.idpf.org/2007/opf': 'opf',
		'http://www.idpf.org/2007/ops': 'epub',
		'http://www.daisy.org/z3986/2005/ncx/': 'ncx',
		'urn:oasis:names:tc:opendocument:xmlns:container': 'ocf',
	}),
);

/** The strict variant of Office Open XML differs in the beginning of its names alone. */
const strict = 'http://purl.oclc.org/ooxml/';
const transitional = 'http://schemas.openxmlformats.org/';
const openDocument = /^urn:oasis:names:tc:opendocument:xmlns:(?:xsl-)?([a-z]+)(?:-compatible)?:[\d.]+$/;

/**
 * The prefix of a namespace that is known: those of the table, and of OpenDocument the word in its name (`text`, `table`, `fo`, `svg`).
 * Undefined for all others.
 */
export function prefixOf(namespace: string): string | undefined {
	if (namespace.startsWith(strict)) {
		const path = namespace.slice(strict.length).replace('/', '/2006/');
		return prefixes.get(transitional + path);
	}
	return prefixes.get(namespace) ?? openDocument.exec(namespace)?.[1];
}

/** The namespaces that hold within an element: those it declares, and those of the elements around it. */
export class Scope {
	readonly #around: Scope | undefined;
	readonly #own: ReadonlyMap<string, string>;
	readonly #elements = new Map<string, string>();
	readonly #attributes = new Map<string, string>();

	constructor(own: ReadonlyMap<string, string> = new Map(), around?: Scope) {
		this.#own = own;
		this.#around = around;
	}

	/** What holds within an element with these attributes: the same scope when it declares nothing. */
	within(attributes: Readonly<Record<string, string>>): Scope {
		let own: Map<string, string> | undefined;
		for (const name in attributes) {
			if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
			own ??= new Map();
			const written = name.slice(6);
			own.set(written, prefixOf(attributes[name] ?? '') ?? written);
		}
		// Not a copy of all: a thousand declarations around a thousand others would be a million.
		return own ? new Scope(own, this) : this;
	}

	/** An element's name with the prefix that we know. */
	element(name: string): string {
		const known = this.#elements.get(name);
		if (known !== undefined) return known;
		const found = this.#renamed(name, this.#prefix(''));
		this.#elements.set(name, found);
		return found;
	}

	/** An attribute's name with the prefix that we know. The default namespace is not for attributes. */
	attribute(name: string): string {
		if (!name.includes(':')) return name;
		const known = this.#attributes.get(name);
		if (known !== undefined) return known;
		const found = this.#renamed(name, undefined);
		this.#attributes.set(name, found);
		return found;
	}

	#renamed(name: string, ofDefault: string | undefined): string {
		const colon = name.indexOf(':');
		if (colon < 0) return ofDefault ? `${ofDefault}:${name}` : name;
		const prefix = this.#prefix(name.slice(0, colon));
		return prefix ? `${prefix}${name.slice(colon)}` : name;
	}

	#prefix(written: string): string | undefined {
		const own = this.#own.get(written);
		return own === undefined && this.#around ? this.#around.#prefix(written) : own;
	}
}
