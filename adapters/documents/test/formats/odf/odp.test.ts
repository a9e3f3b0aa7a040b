import { expect, test } from 'vitest';
import { readOdp } from '../../../src/formats/odf/read.ts';
import { pagesWith } from '../read-with.ts';
import { cell, flat, p, row } from './flat.ts';

const frame = (x: number, y: number, content: string, attributes = '') =>
	`<draw:frame svg:x="${x}cm" svg:y="${y}cm" ${attributes}><draw:text-box>${content}</draw:text-box></draw:frame>`;
const slide = (content: string, attributes = '') => `<draw:page ${attributes}>${content}</draw:page>`;
const pages = (body: string, styles = '') => pagesWith(readOdp, flat('presentation', body, { styles }));

test('each slide is a page, empty ones included', async () => {
	expect(await pages(slide(frame(1, 1, p('one'))) + slide('') + slide(frame(1, 1, p('three'))))).toEqual([
		'one',
		'',
		'three',
	]);
});

test('shapes are read from top to bottom and from left to right, after the title', async () => {
	const shapes = [
		frame(14, 5.2, p('right')),
		frame(1, 9, p('below')),
		frame(1, 5, p('left')),
		`<draw:custom-shape draw:transform="rotate (0.1) translate (2cm 120mm)">${p('turned')}</draw:custom-shape>`,
		frame(3, 15, p('Title'), 'presentation:class="title"'),
	];
	expect(await pages(slide(shapes.join('')))).toEqual(['Title\n\nleft\n\nright\n\nbelow\n\nturned']);
});

test('a group is read as one', async () => {
	const group = `<draw:g>${frame(9, 4, p('second'))}${frame(8, 2, p('first'))}</draw:g>`;
	expect(await pages(slide(frame(1, 3, p('between')) + group))).toEqual(['first\nsecond\n\nbetween']);
});

test('a box that the speaker put beside the notes is told, too', async () => {
	const notes = `<presentation:notes>${frame(1, 1, p('Mine'))}</presentation:notes>`;
	expect(await pages(slide(frame(1, 1, p('Slide')) + notes))).toEqual(['Slide\n\nNotes: Mine']);
});

test('notes are told, other parts of the notes page not', async () => {
	const notes = `<presentation:notes><draw:page-thumbnail/>${frame(1, 1, p('Say this'), 'presentation:class="notes"')}${frame(1, 2, p('7'), 'presentation:class="page-number"')}</presentation:notes>`;
	expect(await pages(slide(frame(1, 1, p('Slide')) + notes))).toEqual(['Slide\n\nNotes: Say this']);
});

test('what a placeholder asks for is no text', async () => {
	expect(await pages(slide(frame(1, 1, p('Click here'), 'presentation:placeholder="true"')))).toEqual(['']);
});

test('tables keep their rows', async () => {
	const table = `<draw:frame svg:y="3cm"><table:table>${row([cell('a'), cell('b')])}${row([cell('c'), cell('d')])}</table:table></draw:frame>`;
	expect(await pages(slide(table))).toEqual(['| a | b |\n| c | d |']);
});

test('footers are told where a slide shows them', async () => {
	const declaration = '<presentation:footer-decl presentation:name="f">Confidential</presentation:footer-decl>';
	const style = (name: string, shown: boolean) =>
		`<style:style style:name="${name}" style:family="drawing-page"><style:drawing-page-properties presentation:display-footer="${shown}"/></style:style>`;
	const used = (name: string) => `draw:style-name="${name}" presentation:use-footer-name="f"`;
	const body = declaration + slide('', used('on')) + slide('', used('off'));
	expect(await pages(body, style('on', true) + style('off', false))).toEqual(['Confidential', '']);
});
