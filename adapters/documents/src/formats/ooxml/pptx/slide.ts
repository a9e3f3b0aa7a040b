import { graphicsOf } from '../drawing/graphics.ts';
import { readingOrder } from '../drawing/order.ts';
import { type Shape, Shapes, shapesHandler } from '../drawing/shapes.ts';
import { slideNumber } from '../drawing/text-body.ts';
import type { OfficePackage } from '../package.ts';
import { listLines } from './bullets.ts';
import { boxOf, bulletsOf, commonShapes, isTitle, type Layout, type Layouts } from './layouts.ts';

/** Placeholders on a page of notes that are not the notes. */
const besideNotes: ReadonlySet<string> = new Set(['sldImg', 'sldNum', 'hdr', 'ftr', 'dt']);

/** The text of a slide: its title, its shapes in reading order, its notes. Empty when the part is missing. */
export async function slideText(office: OfficePackage, part: string, layouts: Layouts, page: number): Promise<string> {
	const slide = new Shapes(await graphicsOf(office, part));
	await office.read(part, shapesHandler(slide));
	const layout = await layouts.of(part, 'slideLayout');
	const own = [...slide.all, ...commonShapes(slide, layout)];
	const placed = own.map((shape): Shape => ({ ...shape, box: boxOf(shape, layout) }));
	const titles = placed.filter(isTitle);
	const others = inOrder(placed.filter((shape) => !isTitle(shape)));
	const blocks = [...titles, ...others].map((shape) => shapeLines(shape, layout).join('\n'));
	return [...blocks, await notesOf(office, part)]
		.filter((text) => text !== '')
		.join('\n\n')
		.replaceAll(slideNumber, String(page));
}

/** Groups stay together, whatever stands between their shapes. */
function inOrder(shapes: readonly Shape[]): Shape[] {
	return readingOrder(shapes).flatMap((shape) => (shape.members.length > 0 ? inOrder(shape.members) : shape));
}

function shapeLines(shape: Shape, layout: Layout | undefined): string[] {
	const lines = shape.body ? listLines(shape.body, bulletsOf(shape, layout)) : [];
	return [...lines, ...shape.lines];
}

async function notesOf(office: OfficePackage, part: string): Promise<string> {
	const relations = await office.relations(part);
	const target = relations.find(({ kind }) => kind === 'notesSlide')?.target;
	if (!target) return '';
	const notes = new Shapes(await graphicsOf(office, target));
	await office.readIfSound(target, shapesHandler(notes));
	const lines = inOrder(notes.all)
		.filter(({ placeholder }) => !besideNotes.has(placeholder?.type ?? ''))
		.flatMap((shape) => shapeLines(shape, undefined));
	return lines.length > 0 ? `Notes: ${lines.join('\n')}` : '';
}
