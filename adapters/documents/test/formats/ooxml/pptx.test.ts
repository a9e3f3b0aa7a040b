import { describe, expect, test } from 'vitest';
import { chartXml, type Link, type Part, pptxOf, shapeOf } from '../../../../../test/support/office.ts';
import { readPptx } from '../../../src/formats/office/read.ts';
import { read, textOf } from './reading.ts';

const text = (shapes: string, links: readonly Link[] = [], parts: Readonly<Record<string, Part>> = {}) =>
	textOf(readPptx, pptxOf([{ shapes, links }], parts));
const frame = (content: string) => `<p:graphicFrame><p:nvGraphicFramePr/>${content}</p:graphicFrame>`;
const body = (paragraphs: string, placeholder = '') =>
	`<p:sp><p:nvSpPr><p:cNvPr id="1" name=""/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp>`;
const line = (content: string, style = '') => `<a:p>${style}<a:r><a:t>${content}</a:t></a:r></a:p>`;

describe('the slides of a PPTX', () => {
	test('are pages in the order of the presentation, including empty ones', async () => {
		const slides = [{ shapes: shapeOf(['hidden'], [0, 0, 9, 9]), attributes: 'show="0"' }, { shapes: '' }];
		expect(await read(readPptx, pptxOf([...slides, { shapes: shapeOf(['third'], [0, 0, 9, 9]) }]))).toMatchObject({
			pageCount: 3,
			pages: [
				{ page: 1, text: 'hidden' },
				{ page: 2, text: '' },
				{ page: 3, text: 'third' },
			],
		});
	});

	test('have list markers and indentation', async () => {
		const number = '<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>';
		const deep = '<a:pPr lvl="1"><a:buChar char="•"/></a:pPr>';
		expect(await text(body(line('one', number) + line('deep', deep)))).toBe('1. one\n  - deep');
	});

	test('have a line for each table row, and merged cells once', async () => {
		const cell = (content: string, attributes = '') =>
			`<a:tc ${attributes}><a:txBody>${line(content)}</a:txBody></a:tc>`;
		const rows = [cell('wide', 'gridSpan="2"') + cell('', 'hMerge="1"'), cell('a') + cell('b')];
		expect(await text(frame(`<a:tbl>${rows.map((cells) => `<a:tr>${cells}</a:tr>`).join('')}</a:tbl>`))).toBe(
			'| wide |  |\n| a | b |',
		);
	});

	test('have charts as tables of categories, series and values', async () => {
		const chart = chartXml('lineChart', 'Growth', ['2023', '2024'], { 'A &amp; B': [1.5, 2], C: [3, 4] });
		const graphic = frame(
			'<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart r:id="c"/></a:graphicData></a:graphic>',
		);
		const parts = { 'ppt/charts/chart1.xml': { xml: chart } };
		expect(await text(graphic, [['c', 'chart', 'ppt/charts/chart1.xml']], parts)).toBe(
			'Growth\n|  | A & B | C |\n| 2023 | 1.5 | 3 |\n| 2024 | 2 | 4 |',
		);
	});

	test('end with their comments and notes, without the page number of the notes page', async () => {
		const notes = `<p:notes NS><p:cSld><p:spTree>${body(line('Say hello'), '<p:ph type="body" idx="1"/>')}${body(line('12'), '<p:ph type="sldNum"/>')}</p:spTree></p:cSld></p:notes>`;
		const links: Link[] = [
			['n', 'notesSlide', 'ppt/notesSlides/notesSlide1.xml'],
			['k', 'comments', 'ppt/comments/comment1.xml'],
		];
		const parts = {
			'ppt/notesSlides/notesSlide1.xml': { xml: notes },
			'ppt/comments/comment1.xml': {
				xml: '<p:cmLst NS><p:cm authorId="0" idx="1"><p:text>Check this</p:text></p:cm></p:cmLst>',
			},
			'ppt/commentAuthors.xml': {
				xml: '<p:cmAuthorLst NS><p:cmAuthor id="0" name="Bob" initials="B"/></p:cmAuthorLst>',
			},
		};
		expect(await text(shapeOf(['Hi'], [0, 0, 9, 9]), links, parts)).toBe(
			'Hi\n\nComment by Bob: Check this\n\nNotes: Say hello',
		);
	});

	test('contain their real slide number, not the saved one', async () => {
		const field = '<a:p><a:fld type="slidenum"><a:t>‹#›</a:t></a:fld><a:r><a:t> of 9</a:t></a:r></a:p>';
		const slide = { shapes: body(field, '<p:ph type="sldNum"/>') };
		expect(await textOf(readPptx, pptxOf([slide, slide]))).toBe('1 of 9\n----\n2 of 9');
	});

	test('are returned only when requested', async () => {
		const slide = (words: string) => ({ shapes: shapeOf([words], [0, 0, 9, 9]) });
		const content = await read(readPptx, pptxOf([slide('one'), slide('two'), slide('three')]), {
			pages: [{ first: 2, last: 2 }],
		});
		expect(content).toMatchObject({ pageCount: 3, pages: [{ page: 2, text: 'two' }] });
	});

	test('have their title as a Markdown heading, first, wherever it is in the file', async () => {
		const shapes = shapeOf(['text'], [0, 9, 9, 9]) + shapeOf(['Title'], [0, 0, 9, 9], '<p:ph type="title"/>');
		const { pages } = await read(readPptx, pptxOf([{ shapes }]), { format: 'markdown' });
		expect(pages).toEqual([{ page: 1, text: '# Title\n\ntext' }]);
	});
});
