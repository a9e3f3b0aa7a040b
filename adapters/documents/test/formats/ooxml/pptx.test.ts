import { describe, expect, test } from 'vitest';
import { chartFrame, chartXml, type Link, type Part, pptxOf, shapeOf } from '../../../../../test/support/office.ts';
import { readPptx } from '../../../src/formats/ooxml/pptx.ts';
import { read, textOf } from './reading.ts';

const text = (shapes: string, links: readonly Link[] = [], parts: Readonly<Record<string, Part>> = {}) =>
	textOf(readPptx, pptxOf([{ shapes, links }], parts));
const group = (place: string, shapes: string) =>
	`<p:grpSp><p:nvGrpSpPr/><p:grpSpPr>${place}</p:grpSpPr>${shapes}</p:grpSp>`;
const frame = (content: string) => `<p:graphicFrame><p:nvGraphicFramePr/>${content}</p:graphicFrame>`;
const body = (paragraphs: string, placeholder = '') =>
	`<p:sp><p:nvSpPr><p:cNvPr id="1" name=""/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp>`;
const line = (content: string, style = '') => `<a:p>${style}<a:r><a:t>${content}</a:t></a:r></a:p>`;

describe('the slides of a PPTX', () => {
	test('are pages with their size, in the order of the presentation, hidden and missing ones too', async () => {
		const shapes = shapeOf(['hidden'], [0, 0, 10, 10]);
		const whole = pptxOf([{ shapes, attributes: 'show="0"' }, { shapes: shapeOf(['second'], [0, 0, 9, 9]) }]);
		expect(await read(readPptx, whole)).toMatchObject({
			pageCount: 2,
			pages: [
				{ page: 1, text: 'hidden', width: 720, height: 540 },
				{ page: 2, text: 'second' },
			],
		});
		const lacking = pptxOf([{ shapes }], {
			'ppt/presentation.xml': {
				xml: '<p:presentation NS><p:sldIdLst><p:sldId r:id="x"/><p:sldId r:id="s"/></p:sldIdLst></p:presentation>',
				links: [
					['x', 'slide', 'ppt/slides/none.xml'],
					['s', 'slide', 'ppt/slides/slide1.xml'],
				],
			},
		});
		expect(await textOf(readPptx, lacking)).toBe('\n----\nhidden');
	});

	test('tell their title first, then rows from top to bottom, and columns one after the other', async () => {
		const shapes =
			shapeOf(['foot'], [0, 500, 700, 20]) +
			shapeOf(['right top'], [400, 100, 200, 100]) +
			shapeOf(['right below'], [400, 205, 200, 100]) +
			shapeOf(['left below'], [50, 205, 200, 100]) +
			shapeOf(['left top'], [50, 100, 200, 100]) +
			shapeOf(['Title'], [0, 480, 700, 10], '<p:ph type="ctrTitle"/>');
		expect(await text(shapes)).toBe('Title\n\nleft top\n\nleft below\n\nright top\n\nright below\n\nfoot');
	});

	test('place the shapes of groups where their groups are, and keep a group together', async () => {
		const moved = group(
			'<a:xfrm><a:off x="0" y="5080000"/><a:ext cx="1270000" cy="1270000"/><a:chOff x="0" y="0"/><a:chExt cx="12700000" cy="12700000"/></a:xfrm>',
			shapeOf(['low'], [0, 0, 900, 400]) + shapeOf(['lower'], [0, 500, 900, 400]),
		);
		expect(await text(moved + shapeOf(['top'], [0, 100, 100, 20]))).toBe('top\n\nlow\n\nlower');
	});

	test('leave out hidden shapes and hidden groups', async () => {
		const hidden = shapeOf(['no'], [0, 0, 9, 9]).replace('name="x"', 'name="x" hidden="1"');
		const hiddenGroup = `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="1" name="g" hidden="1"/></p:nvGrpSpPr><p:grpSpPr/>${shapeOf(['no'], [0, 0, 9, 9])}</p:grpSp>`;
		expect(await text(hidden + hiddenGroup + shapeOf(['yes'], [0, 0, 9, 9]))).toBe('yes');
	});

	test('mark and number their items by level', async () => {
		const number = '<a:pPr><a:buAutoNum type="alphaLcParenR" startAt="2"/></a:pPr>';
		const deep = '<a:pPr lvl="1"><a:buChar char="•"/></a:pPr>';
		expect(await text(body(line('two', number) + line('deep', deep) + line('three', number) + line('plain')))).toBe(
			'b) two\n  - deep\nc) three\nplain',
		);
	});

	test('take bullets and places from their layout and its master, but not the prompts there', async () => {
		const place = (y: number) => `<p:spPr><a:xfrm><a:off x="0" y="${y}"/><a:ext cx="100" cy="100"/></a:xfrm></p:spPr>`;
		const holder = (y: number, index: number, style = '') =>
			`<p:sp><p:nvSpPr><p:nvPr><p:ph type="body" idx="${index}"/></p:nvPr></p:nvSpPr>${place(y)}<p:txBody><a:lstStyle>${style}</a:lstStyle>${line('Click to edit')}</p:txBody></p:sp>`;
		const tree = (shapes: string, root: string, rest = '') =>
			`<p:${root} NS><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld>${rest}</p:${root}>`;
		const parts = {
			'ppt/layout.xml': {
				xml: tree(
					holder(900, 1) + holder(100, 2, '<a:lvl1pPr><a:buNone/></a:lvl1pPr>') + shapeOf(['Company'], [0, 300, 9, 9]),
					'sldLayout',
				),
				links: [['m', 'slideMaster', 'ppt/master.xml']] as const,
			},
			'ppt/master.xml': {
				xml: tree(
					'',
					'sldMaster',
					'<p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr></p:bodyStyle></p:txStyles>',
				),
			},
		};
		const shapes =
			body(line('listed'), '<p:ph type="body" idx="1"/>') + body(line('plain'), '<p:ph type="body" idx="2"/>');
		expect(await text(shapes, [['l', 'slideLayout', 'ppt/layout.xml']], parts)).toBe('plain\n\n- listed\n\nCompany');
	});

	test('give tables a line a row, merged cells once', async () => {
		const cell = (content: string, attributes = '') =>
			`<a:tc ${attributes}><a:txBody>${line(content)}</a:txBody></a:tc>`;
		const rows = [cell('wide', 'gridSpan="2"') + cell('wide', 'hMerge="1"'), cell('a') + cell('b')];
		expect(await text(frame(`<a:tbl>${rows.map((cells) => `<a:tr>${cells}</a:tr>`).join('')}</a:tbl>`))).toBe(
			'| wide |  |\n| a | b |',
		);
	});

	test('tell charts as tables: categories, series and values', async () => {
		const chart = chartXml('lineChart', 'Growth', ['2023', '2024'], {
			'A &amp; B': [1.5, 2],
			C: [3, 4],
		});
		expect(await text(chartFrame('c'), [['c', 'chart', 'ppt/c.xml']], { 'ppt/c.xml': { xml: chart } })).toBe(
			'Growth\n|  | A & B | C |\n| 2023 | 1.5 | 3 |\n| 2024 | 2 | 4 |',
		);
	});

	test('tell charts of the newer kinds', async () => {
		const chart =
			'<cx:chartSpace NS><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl><cx:pt idx="0">Start</cx:pt><cx:pt idx="1">End</cx:pt></cx:lvl></cx:strDim>' +
			'<cx:numDim type="val"><cx:lvl formatCode="0.0"><cx:pt idx="0">10</cx:pt><cx:pt idx="1">12.25</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData>' +
			'<cx:chart><cx:title><cx:tx><cx:txData><cx:v>Fall</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion><cx:series><cx:tx><cx:txData><cx:v>Cash</cx:v>' +
			'</cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>';
		const shown = `<mc:AlternateContent><mc:Choice Requires="cx1">${frame('<cx:chart r:id="c"/>')}</mc:Choice><mc:Fallback>${body(line('not available'))}</mc:Fallback></mc:AlternateContent>`;
		expect(await text(shown, [['c', 'chartEx', 'ppt/c.xml']], { 'ppt/c.xml': { xml: chart } })).toBe(
			'Fall\n|  | Cash |\n| Start | 10.0 |\n| End | 12.3 |',
		);
	});

	test('end with their notes, without the number on the page of notes', async () => {
		const notes = `<p:notes NS><p:cSld><p:spTree>${body(line('Say hello'), '<p:ph type="body" idx="1"/>')}${body(line('12'), '<p:ph type="sldNum"/>')}</p:spTree></p:cSld></p:notes>`;
		expect(
			await text(shapeOf(['Hi'], [0, 0, 9, 9]), [['n', 'notesSlide', 'ppt/n.xml']], {
				'ppt/n.xml': { xml: notes },
			}),
		).toBe('Hi\n\nNotes: Say hello');
	});

	test('show their own number, whatever the file remembers', async () => {
		const field = '<a:p><a:fld type="slidenum"><a:t>‹#›</a:t></a:fld><a:r><a:t> of 9</a:t></a:r></a:p>';
		const slide = { shapes: body(field, '<p:ph type="sldNum"/>') };
		expect(await textOf(readPptx, pptxOf([slide, slide]))).toBe('1 of 9\n----\n2 of 9');
	});

	test('are read only where they are asked for', async () => {
		const slide = (text: string) => ({ shapes: shapeOf([text], [0, 0, 9, 9]) });
		const damaged = pptxOf([slide('one'), slide('two'), { shapes: '</p:cSld' }]);
		const content = await read(readPptx, damaged, { pages: [{ first: 2, last: 2 }] });
		expect(content).toMatchObject({ pageCount: 3, pages: [{ page: 2, text: 'two' }] });
	});
});

test('a slide of columns with heads gives each head with its column, also below a line across both', async () => {
	const shapes =
		shapeOf(['Across'], [40, 90, 640, 30]) +
		shapeOf(['Left'], [40, 130, 300, 30]) +
		shapeOf(['Right'], [360, 130, 300, 30]) +
		shapeOf(['one', 'two'], [40, 170, 300, 200]) +
		shapeOf(['three'], [360, 170, 300, 200]) +
		shapeOf(['Source'], [40, 480, 640, 20]);
	expect(await text(shapes)).toBe(['Across', 'Left', 'one\ntwo', 'Right', 'three', 'Source'].join('\n\n'));
});
