import { expect, test } from 'vitest';
import { readOdp } from '../../../src/formats/office/read.ts';
import { pagesWith } from '../read-with.ts';
import { cell, flat, p, row } from './flat.ts';

const frame = (x: number, y: number, content: string, attributes = '') =>
	`<draw:frame svg:x="${x}cm" svg:y="${y}cm" ${attributes}><draw:text-box>${content}</draw:text-box></draw:frame>`;
const slide = (content: string, attributes = '') => `<draw:page ${attributes}>${content}</draw:page>`;
const pages = (body: string, styles = '') => pagesWith(readOdp, flat('presentation', body, { styles }));

test('each slide is a page, also when it is empty', async () => {
	expect(await pages(slide(frame(1, 1, p('one'))) + slide('') + slide(frame(1, 1, p('three'))))).toEqual([
		'one',
		'',
		'three',
	]);
});

test('speaker notes are included, other parts of the notes page are not', async () => {
	const notes = `<presentation:notes><draw:page-thumbnail/>${frame(1, 1, p('Say this'), 'presentation:class="notes"')}</presentation:notes>`;
	expect(await pages(slide(frame(1, 1, p('Slide')) + notes))).toEqual(['Slide\n\nNotes: Say this']);
});

test('tables have one line per row', async () => {
	const table = `<draw:frame svg:y="3cm"><table:table>${row([cell('a'), cell('b')])}${row([cell('c'), cell('d')])}</table:table></draw:frame>`;
	expect(await pages(slide(table))).toEqual(['| a | b |\n| c | d |']);
});
