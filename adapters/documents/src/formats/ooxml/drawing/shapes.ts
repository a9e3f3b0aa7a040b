import type { Attributes, XmlHandler } from '../../../markup/xml.ts';
import { rowOf } from '../rows.ts';
import { shown } from '../shown.ts';
import { altText } from './alt-text.ts';
import type { Graphics } from './graphics.ts';
import { around, type Box, identity, placed, type Transform, within } from './place.ts';
import { plainLines, TextBody } from './text-body.ts';

/** What a shape of a slide stands for on its layout. */
export interface Placeholder {
	readonly type: string;
	readonly index: string | undefined;
}

/** A shape with what it says. */
export interface Shape {
	/** Within a group placed as on the slide. */
	box: Box | undefined;
	placeholder: Placeholder | undefined;
	body: TextBody | undefined;
	/** Rows of its table, lines of its chart, or the description of its picture. */
	readonly lines: string[];
	/** The shapes of a group. */
	readonly members: readonly Shape[];
}

interface Group {
	transform: Transform;
	readonly members: Shape[];
	isHidden: boolean;
}

const shapeNames: ReadonlySet<string> = new Set(['sp', 'pic', 'graphicFrame', 'cxnSp']);
const nowhere: Box = { x: 0, y: 0, width: 0, height: 0 };

/** A handler that reads shapes into `shapes`, of alternative contents the first. */
export function shapesHandler(shapes: Shapes): XmlHandler {
	return shown(shapes);
}

/** Reads the shapes of a slide, a layout, a page of notes, or a drawing on a sheet. Hidden ones are left out. */
export class Shapes implements XmlHandler {
	readonly #graphics: Graphics;
	readonly #groups: Group[] = [{ transform: identity, members: [], isHidden: false }];
	/** Attributes of the first element: of the slide or layout itself. */
	root: Attributes | undefined;
	/** Bullets of a master's text styles by level. */
	readonly styles = new TextBody();
	#shape: Shape | undefined;
	#isHidden = false;
	#alt = '';
	#frame: { box: Box; inner: Box } | undefined;
	#body: TextBody | undefined;
	#isStyles = false;
	#cells: string[] = [];
	/** Text of the open cell of a table; undefined outside of cells. */
	#cell: string | undefined;
	#isContinued = false;
	/** Shapes around this place: objects hold the pictures that stand for them. */
	#depth = 0;

	constructor(graphics: Graphics) {
		this.#graphics = graphics;
	}

	get all(): readonly Shape[] {
		return this.#groups[0]?.members ?? [];
	}

	open(name: string, attributes: Attributes): void {
		this.root ??= attributes;
		if (this.#body) this.#body.open(name, attributes);
		else if (this.#isStyles) this.styles.open(name, attributes);
		else if (name === 'p:bodyStyle') this.#isStyles = true;
		else this.#openShape(name.slice(name.indexOf(':') + 1), attributes);
	}

	text(text: string): void {
		this.#body?.text(text);
	}

	close(name: string): void {
		const local = name.slice(name.indexOf(':') + 1);
		if (this.#body && local !== 'txBody') this.#body.close(name);
		else if (name === 'p:bodyStyle') this.#isStyles = false;
		else if (this.#isStyles) this.styles.close(name);
		else this.#closeShape(local);
	}

	#openShape(name: string, attributes: Attributes): void {
		if (shapeNames.has(name)) this.#begin();
		else if (name === 'grpSp') this.#beginGroup();
		else if (name === 'cNvPr') this.#name(attributes);
		else if (name === 'ph' && this.#shape) this.#shape.placeholder = placeholderOf(attributes);
		else if (name === 'xfrm') this.#frame = { box: nowhere, inner: nowhere };
		else if (this.#frame) this.#setFrame(name, attributes);
		else if (name === 'txBody') this.#body = new TextBody();
		else if (name === 'tr') this.#cells = [];
		else if (name === 'tc') this.#beginCell(attributes);
		else if (name === 'chart') this.#show(attributes['r:id']);
		else if (name === 'relIds') this.#show(attributes['r:dm']);
	}

	#closeShape(name: string): void {
		if (name === 'txBody') this.#endBody();
		else if (name === 'tc') this.#endCell();
		else if (name === 'tr') this.#endRow();
		else if (name === 'xfrm') this.#endFrame();
		else if (name === 'grpSp') this.#endGroup();
		else if (shapeNames.has(name)) this.#end(name);
	}

	#begin(): void {
		this.#depth += 1;
		if (this.#depth > 1) return;
		this.#shape = {
			box: undefined,
			placeholder: undefined,
			body: undefined,
			lines: [],
			members: [],
		};
		this.#isHidden = false;
		this.#alt = '';
	}

	#end(name: string): void {
		this.#depth -= 1;
		const shape = this.#shape;
		if (!shape || this.#depth > 0) return;
		if (name === 'pic' && this.#alt !== '') shape.lines.push(this.#alt);
		if (!this.#isHidden) this.#group.members.push(shape);
		this.#shape = undefined;
	}

	get #group(): Group {
		return this.#groups.at(-1) as Group;
	}

	#beginGroup(): void {
		this.#groups.push({ transform: this.#group.transform, members: [], isHidden: false });
	}

	#endGroup(): void {
		const { members, isHidden } = this.#groups.pop() as Group;
		if (isHidden || members.length === 0) return;
		const box = around(members.flatMap((member) => member.box ?? []));
		this.#group.members.push({ box, members, placeholder: undefined, body: undefined, lines: [] });
	}

	#name({ hidden, descr }: Attributes): void {
		const isHidden = hidden === '1' || hidden === 'true';
		if (this.#depth > 1) return;
		if (this.#shape) {
			this.#isHidden = isHidden;
			this.#alt = altText(descr);
		} else if (this.#groups.length > 1) this.#group.isHidden = isHidden;
	}

	#setFrame(name: string, { x, y, cx, cy }: Attributes): void {
		const frame = this.#frame;
		if (!frame) return;
		const place = { x: numberOf(x), y: numberOf(y) };
		const size = { width: numberOf(cx), height: numberOf(cy) };
		if (name === 'off') frame.box = { ...frame.box, ...place };
		else if (name === 'ext') frame.box = { ...frame.box, ...size };
		else if (name === 'chOff') frame.inner = { ...frame.inner, ...place };
		else if (name === 'chExt') frame.inner = { ...frame.inner, ...size };
	}

	#endFrame(): void {
		const frame = this.#frame;
		this.#frame = undefined;
		if (!frame) return;
		// The tree of all shapes has a place too, which is the slide's own.
		if (!this.#shape && this.#groups.length > 1)
			this.#group.transform = within(this.#group.transform, frame.box, frame.inner);
		else if (this.#shape && this.#depth === 1) this.#shape.box = placed(frame.box, this.#group.transform);
	}

	#beginCell({ hMerge, vMerge }: Attributes): void {
		this.#cell = '';
		this.#isContinued = [hMerge, vMerge].some((value) => value === '1' || value === 'true');
	}

	#endBody(): void {
		const body = this.#body;
		this.#body = undefined;
		if (!body) return;
		if (this.#cell !== undefined) this.#cell += plainLines(body).join(' ');
		else if (this.#shape) this.#shape.body = body;
	}

	#endCell(): void {
		this.#cells.push(this.#isContinued ? '' : (this.#cell ?? ''));
		this.#cell = undefined;
	}

	#endRow(): void {
		const isEmpty = this.#cells.every((cell) => cell === '');
		if (!isEmpty) this.#shape?.lines.push(rowOf(this.#cells));
		this.#cells = [];
	}

	#show(id: string | undefined): void {
		const lines = this.#graphics.get(id ?? '') ?? [];
		for (const line of lines) this.#shape?.lines.push(line);
	}
}

function placeholderOf({ type, idx }: Attributes): Placeholder {
	return { type: type ?? 'obj', index: idx };
}

function numberOf(text: string | undefined): number {
	const number = Number(text ?? 0);
	return Number.isFinite(number) ? number : 0;
}
