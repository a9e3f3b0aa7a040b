import { graphicsOf } from '../drawing/graphics.ts';
import { type Placeholder, type Shape, Shapes, shapesHandler } from '../drawing/shapes.ts';
import type { OfficePackage } from '../package.ts';
import type { Inherited } from './bullets.ts';

/** What a slide takes from its layout, and a layout from its master. */
export interface Layout {
	readonly shapes: Shapes;
	readonly master: Layout | undefined;
	/** The shape that stands for what one of a slide stands for. */
	counterpart(placeholder: Placeholder): Shape | undefined;
}

const titles: ReadonlySet<string> = new Set(['title', 'ctrTitle']);
const texts: ReadonlySet<string> = new Set(['body', 'obj', 'subTitle']);

/** Reads the layouts of slides, each once. */
export class Layouts {
	readonly #office: OfficePackage;
	readonly #known = new Map<string, Promise<Layout>>();

	constructor(office: OfficePackage) {
		this.#office = office;
	}

	/** The layout of a slide, or the master of a layout. None when the part is missing. */
	async of(part: string, kind: 'slideLayout' | 'slideMaster'): Promise<Layout | undefined> {
		const relations = await this.#office.relations(part);
		const target = relations.find((relation) => relation.kind === kind)?.target;
		if (!target) return undefined;
		// By kind as well: a layout that calls itself its master would wait for itself.
		const key = `${kind} ${target}`;
		const known = this.#known.get(key) ?? this.#read(target, kind);
		this.#known.set(key, known);
		return known;
	}

	async #read(part: string, kind: 'slideLayout' | 'slideMaster'): Promise<Layout> {
		const shapes = new Shapes(await graphicsOf(this.#office, part));
		await this.#office.readIfSound(part, shapesHandler(shapes));
		return {
			shapes,
			counterpart: counterpartsIn(shapes.all),
			master: kind === 'slideLayout' ? await this.of(part, 'slideMaster') : undefined,
		};
	}
}

/** Whether a shape is the title of its slide. */
export function isTitle({ placeholder }: Shape): boolean {
	return placeholder !== undefined && titles.has(placeholder.type);
}

/** Shapes that every slide of a layout shows as they are: those that hold no place for a slide's own. */
export function commonShapes(slide: Shapes, layout: Layout | undefined): Shape[] {
	if (!layout || isOff(slide.root?.showMasterSp)) return [];
	const ofMaster = isOff(layout.shapes.root?.showMasterSp) ? [] : (layout.master?.shapes.all ?? []);
	return [...ofMaster, ...layout.shapes.all].filter(({ placeholder }) => !placeholder);
}

/** Where a shape stands: what it does not say itself, its layout says, or the master. */
export function boxOf(shape: Shape, layout: Layout | undefined): Shape['box'] {
	return shape.box ?? ancestors(shape.placeholder, layout).find(({ box }) => box)?.box;
}

/** Finds the bullets of the levels of a shape that names none itself. */
export function bulletsOf(shape: Shape, layout: Layout | undefined): Inherited {
	const { placeholder } = shape;
	if (!placeholder) return () => undefined;
	const bodies = ancestors(placeholder, layout).flatMap(({ body }) => body ?? []);
	if (texts.has(placeholder.type) && layout?.master) bodies.push(layout.master.shapes.styles);
	return (level) => bodies.find(({ bullets }) => bullets.has(level))?.bullets.get(level);
}

function ancestors(placeholder: Placeholder | undefined, layout: Layout | undefined): Shape[] {
	if (!placeholder || !layout) return [];
	const own = layout.counterpart(placeholder);
	const type = own?.placeholder ?? placeholder;
	const ofMaster = layout.master?.counterpart({ ...type, index: undefined });
	return [own, ofMaster].filter((shape) => shape !== undefined);
}

/** Looks up shapes by what they stand for: by their index, else the first of the same family. */
function counterpartsIn(shapes: readonly Shape[]): Layout['counterpart'] {
	const byIndex = new Map<string, Shape>();
	const byFamily = new Map<string, Shape>();
	for (const shape of [...shapes].reverse()) {
		const { type, index } = shape.placeholder ?? {};
		if (index !== undefined) byIndex.set(index, shape);
		if (type !== undefined) byFamily.set(family(type), shape);
	}
	return ({ type, index }) => (index === undefined ? undefined : byIndex.get(index)) ?? byFamily.get(family(type));
}

function family(type: string): string {
	if (titles.has(type)) return 'title';
	return texts.has(type) ? 'body' : type;
}

function isOff(value: string | undefined): boolean {
	return value === '0' || value === 'false';
}
