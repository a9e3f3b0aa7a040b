const word = (name: string, suffix = '') => `urn:oasis:names:tc:opendocument:xmlns:${name}${suffix}:1.0`;
const namespaces = [
	...['office', 'text', 'table', 'style', 'presentation', 'meta', 'chart', 'manifest'].map((name) => [
		name,
		word(name),
	]),
	['draw', word('drawing')],
	['fo', word('xsl-fo', '-compatible')],
	['svg', word('svg', '-compatible')],
	['xlink', 'http://www.w3.org/1999/xlink'],
	['dc', 'http://purl.org/dc/elements/1.1/'],
]
	.map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
	.join(' ');

/** The parts of a document outside its body. */
export interface Around {
	readonly styles?: string;
	readonly masters?: string;
	readonly meta?: string;
}

/** A flat document: a single XML file. */
export function flat(
	kind: 'text' | 'presentation' | 'spreadsheet' | 'chart',
	body: string,
	{ styles = '', masters = '', meta = '' }: Around = {},
): string {
	return `<?xml version="1.0" encoding="UTF-8"?><office:document ${namespaces}><office:meta>${meta}</office:meta><office:automatic-styles>${styles}</office:automatic-styles><office:master-styles>${masters}</office:master-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`;
}

/** A paragraph. */
export const p = (text: string, style = 'plain') => `<text:p text:style-name="${style}">${text}</text:p>`;

/** A cell of a table or sheet. */
export const cell = (text: string, attributes = '') =>
	`<table:table-cell ${attributes}>${text === '' ? '' : p(text)}</table:table-cell>`;

/** A row of a table or sheet. */
export const row = (cells: readonly string[], attributes = '') =>
	`<table:table-row ${attributes}>${cells.join('')}</table:table-row>`;
