import { zipOf } from './zip.ts';

const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const namespaces = [
	['w', 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'],
	['p', 'http://schemas.openxmlformats.org/presentationml/2006/main'],
	['a', 'http://schemas.openxmlformats.org/drawingml/2006/main'],
	['c', 'http://schemas.openxmlformats.org/drawingml/2006/chart'],
	['cx', 'http://schemas.microsoft.com/office/drawing/2014/chartex'],
	['dgm', 'http://schemas.openxmlformats.org/drawingml/2006/diagram'],
	['pic', 'http://schemas.openxmlformats.org/drawingml/2006/picture'],
	['wp', 'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing'],
	['wps', 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape'],
	['xdr', 'http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing'],
	['m', 'http://schemas.openxmlformats.org/officeDocument/2006/math'],
	['mc', 'http://schemas.openxmlformats.org/markup-compatibility/2006'],
	['v', 'urn:schemas-microsoft-com:vml'],
	['r', types],
] as const;
const declared = namespaces.map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`).join(' ');
const spreadsheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** A relationship: its id, the last word of its type, and the path of the target part from the root. */
export type Link = readonly [id: string, kind: string, target: string];

/**
 * A part of an office file: its XML, in which `NS` is replaced by all namespace declarations, and its relationships.
 */
export interface Part {
	readonly xml: string | Uint8Array;
	readonly links?: readonly Link[];
}

/** Writes an office file from its parts. The first part is the main document. */
export function officeOf(type: string, parts: Readonly<Record<string, Part>>): Buffer {
	const [main = ''] = Object.keys(parts);
	const files = Object.entries(parts).flatMap(([name, { xml, links }]) => [
		{ name, content: typeof xml === 'string' ? xml.replaceAll(' NS', ` ${declared}`) : xml },
		...(links ? [{ name: relationsOf(name), content: relationsXml(links) }] : []),
	]);
	return zipOf([
		{ name: '[Content_Types].xml', content: contentTypes(type, main, Object.keys(parts)) },
		{ name: '_rels/.rels', content: relationsXml([['r1', 'officeDocument', main]]) },
		...files,
	]);
}

/**
 * Writes a DOCX with `body` as content of its body. The other parts are linked from the document by their `kind` and
 * name.
 */
export function docxOf(
	body: string,
	linked: readonly (Link & readonly unknown[])[] = [],
	parts: Readonly<Record<string, Part>> = {},
): Buffer {
	return officeOf('wordprocessingml.document', {
		'word/document.xml': {
			xml: `<w:document NS><w:body>${body}</w:body></w:document>`,
			links: linked,
		},
		...parts,
	});
}

/** Writes a PPTX of slides, each with its shapes and its linked parts. */
export function pptxOf(
	slides: readonly {
		readonly shapes: string;
		readonly links?: readonly Link[];
		readonly attributes?: string;
	}[],
	parts: Readonly<Record<string, Part>> = {},
): Buffer {
	const names = slides.map((_, index) => `ppt/slides/slide${index + 1}.xml`);
	const list = names.map((_, index) => `<p:sldId id="${256 + index}" r:id="s${index}"/>`).join('');
	const links = names.map((name, index): Link => [`s${index}`, 'slide', name]);
	return officeOf('presentationml.presentation', {
		'ppt/presentation.xml': {
			xml: `<p:presentation NS><p:sldIdLst>${list}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>`,
			links,
		},
		...Object.fromEntries(
			slides.map(({ shapes, links: own = [], attributes = '' }, index) => [
				names[index],
				{
					xml: `<p:sld NS ${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
					links: own,
				},
			]),
		),
		...parts,
	});
}

/** A text shape of a slide: paragraphs of plain text at a position, in points. */
export function shapeOf(texts: readonly string[], [x, y, width, height]: readonly number[], placeholder = ''): string {
	const units = [x, y, width, height].map((points) => Math.round((points ?? 0) * 12_700));
	const paragraphs = texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('');
	const place = `<a:xfrm><a:off x="${units[0]}" y="${units[1]}"/><a:ext cx="${units[2]}" cy="${units[3]}"/></a:xfrm>`;
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:spPr>${place}</p:spPr><p:txBody><a:bodyPr/>${paragraphs}</p:txBody></p:sp>`;
}

/** Writes an XLSX of sheets, each with the content of its `sheetData`, its name and its linked parts. */
export function xlsxOf(
	sheets: readonly {
		readonly name: string;
		readonly rows: string | Uint8Array;
		readonly links?: readonly Link[];
	}[],
	parts: Readonly<Record<string, Part>> = {},
	workbook = '',
): Buffer {
	const names = sheets.map((_, index) => `xl/worksheets/sheet${index + 1}.xml`);
	const list = sheets.map(({ name }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"/>`);
	const shared: Link[] = ['sharedStrings', 'styles']
		.filter((kind) => `xl/${kind}.xml` in parts)
		.map((kind) => [kind, kind, `xl/${kind}.xml`]);
	return officeOf('spreadsheetml.sheet', {
		'xl/workbook.xml': {
			xml: `<workbook xmlns="${spreadsheet}" NS>${workbook}<sheets>${list.join('')}</sheets></workbook>`,
			links: [...names.map((name, index): Link => [`s${index}`, 'worksheet', name]), ...shared],
		},
		...Object.fromEntries(
			sheets.map(({ rows, links = [] }, index) => [
				names[index],
				{
					xml:
						typeof rows === 'string'
							? `<worksheet xmlns="${spreadsheet}" NS><sheetData>${rows}</sheetData></worksheet>`
							: rows,
					links,
				},
			]),
		),
		...parts,
	});
}

/** A chart part of a kind (`barChart`, `pieChart`…) with named series, each with one value per category. */
export function chartXml(
	kind: string,
	title: string,
	categories: readonly string[],
	series: Readonly<Record<string, readonly number[]>>,
	code = 'General',
): string {
	const points = (values: readonly (string | number)[]) =>
		values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('');
	const all = Object.entries(series).map(
		([name, values], index) =>
			`<c:ser><c:idx val="${index}"/><c:order val="${index}"/><c:tx><c:strRef><c:f>S!A1</c:f><c:strCache><c:ptCount val="1"/>${points([name])}</c:strCache></c:strRef></c:tx>` +
			`<c:cat><c:strRef><c:f>S!A2</c:f><c:strCache><c:ptCount val="${categories.length}"/>${points(categories)}</c:strCache></c:strRef></c:cat>` +
			`<c:val><c:numRef><c:f>S!B2</c:f><c:numCache><c:formatCode>${code}</c:formatCode><c:ptCount val="${values.length}"/>${points(values)}</c:numCache></c:numRef></c:val></c:ser>`,
	);
	const heading = `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>${title}</a:t></a:r></a:p></c:rich></c:tx></c:title>`;
	const labels =
		'<c:dLbls><c:showLegendKey val="0"/><c:showVal val="1"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="0"/></c:dLbls>';
	const axis = (name: string, id: number, other: number, isHidden: boolean) =>
		`<c:${name}><c:axId val="${id}"/><c:scaling/><c:delete val="${isHidden ? 1 : 0}"/><c:axPos val="b"/><c:crossAx val="${other}"/></c:${name}>`;
	const hasAxes = !/^(?:pie|doughnut)/.test(kind);
	const axes = hasAxes ? axis('catAx', 1, 2, false) + axis('valAx', 2, 1, true) : '';
	const axisIds = hasAxes ? '<c:axId val="1"/><c:axId val="2"/>' : '';
	const plot = `<c:${kind}>${kind === 'barChart' ? '<c:barDir val="col"/>' : ''}${all.join('')}${labels}${axisIds}</c:${kind}>`;
	return `<c:chartSpace NS><c:chart>${heading}<c:plotArea>${plot}${axes}</c:plotArea><c:legend><c:legendPos val="r"/></c:legend></c:chart></c:chartSpace>`;
}

/** A frame on a slide that shows the chart of a relationship. */
export function chartFrame(id: string): string {
	return (
		'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="chart"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>' +
		'<p:xfrm><a:off x="635000" y="1905000"/><a:ext cx="7620000" cy="4445000"/></p:xfrm><a:graphic>' +
		`<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart r:id="${id}"/></a:graphicData></a:graphic></p:graphicFrame>`
	);
}

function relationsOf(part: string): string {
	return part.replace(/[^/]*$/, (name) => `_rels/${name}.rels`);
}

function relationsXml(links: readonly Link[]): string {
	const all = links.map(
		([id, kind, target]) => `<Relationship Id="${id}" Type="${types}/${kind}" Target="/${target}"/>`,
	);
	return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`;
}

/** The parts that a reader of workbooks finds by their content types. */
const sheetParts: readonly (readonly [RegExp, string])[] = [
	[/^xl\/worksheets\/[^/]+\.xml$/, 'worksheet'],
	[/^xl\/sharedStrings\.xml$/, 'sharedStrings'],
	[/^xl\/styles\.xml$/, 'styles'],
	[/^xl\/comments\d*\.xml$/, 'comments'],
];

function contentTypes(type: string, main: string, parts: readonly string[]): string {
	const vendor = 'application/vnd.openxmlformats-officedocument.';
	const override = (part: string, kind: string) => `<Override PartName="/${part}" ContentType="${vendor}${kind}+xml"/>`;
	const others = parts.flatMap((part) => {
		const kind = sheetParts.find(([name]) => name.test(part))?.[1];
		return kind === undefined ? [] : [override(part, `spreadsheetml.${kind}`)];
	});
	return (
		'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
		`<Default Extension="xml" ContentType="application/xml"/>${override(main, `${type}.main`)}${others.join('')}</Types>`
	);
}
