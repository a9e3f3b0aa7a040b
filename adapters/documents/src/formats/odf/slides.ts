import type { Attributes } from '../../markup/xml.ts';
import type { Body, Close, Opening } from './body.ts';
import { framed, frames, shapesOf } from './frames.ts';
import { inReadingOrder, lengthOf, type Shape } from './reading-order.ts';

/** Slides and the shapes on them, by the element. */
export const slides: readonly (readonly [string, Opening])[] = [
	...frames,
	...shapesOf(shape),
	['drawing:page', slide],
	['drawing:page-thumbnail', (body) => body.hide()],
	['presentation:notes', notes],
	['presentation:footer-decl', declaration('footer')],
	['presentation:date-time-decl', declaration('date')],
	['office:annotation', (body) => body.hide()],
];

function slide(body: Body, attributes: Attributes): Close {
	const shapes: Shape[] = [];
	body.shapes = shapes;
	body.speakerNotes = [];
	body.gap = 0;
	return () => {
		body.shapes = undefined;
		const { flow } = body;
		for (const { lines } of inReadingOrder(shapes)) {
			flow.block(1);
			flow.lines(lines);
		}
		flow.block(1);
		flow.lines(footerOf(body, attributes));
		flow.block(1);
		flow.lines(notesOf(body.speakerNotes));
		body.hasBreaks = true;
		body.breakPage();
	};
}

function notesOf([first, ...others]: readonly string[]): readonly string[] {
	return first === undefined ? [] : [`Notes: ${first}`, ...others];
}

/** Date and footer, when this slide shows them. */
function footerOf(body: Body, attributes: Attributes): readonly string[] {
	const style = attributes['drawing:style-name'];
	const shown = [
		['date', 'showsDate', 'presentation:use-date-time-name'],
		['footer', 'showsFooter', 'presentation:use-footer-name'],
	] as const;
	return shown.flatMap(([kind, key, name]) => {
		const isShown = body.styles.find('drawing-page', style, key) === true;
		const text = body.declarations.get(`${kind} ${attributes[name]}`);
		return isShown && text ? [text] : [];
	});
}

function declaration(kind: 'footer' | 'date'): Opening {
	return (body, attributes) => {
		const end = body.apart((lines) => {
			const name = attributes['presentation:name'];
			if (attributes['presentation:source'] !== 'current-date') {
				body.declarations.set(`${kind} ${name}`, lines.join(' '));
			}
		});
		const endText = body.paragraph();
		return () => {
			endText();
			end();
		};
	};
}

function notes(body: Body): Close {
	const { shapes } = body;
	body.shapes = undefined;
	body.isInNotes = true;
	return () => {
		body.shapes = shapes;
		body.isInNotes = false;
	};
}

/** A shape, or a group of them, which is read as one. */
function shape(body: Body, attributes: Attributes): Close {
	const { shapes: around } = body;
	const kind = attributes['presentation:class'];
	if (body.isInNotes) {
		// A box without a class is the speaker's own, those of other classes are on every page.
		if (kind !== undefined && kind !== 'notes') return body.hide();
		return framed(body, (lines) => {
			for (const line of lines) body.speakerNotes.push(line);
		});
	}
	// What a master page shows, or a placeholder asks for, is no text of the slide.
	if (!around || attributes['presentation:placeholder'] === 'true') return body.hide();
	const inside: Shape[] = [];
	body.shapes = inside;
	return framed(body, (own) => {
		body.shapes = around;
		const lines = [...own, ...inReadingOrder(inside).flatMap((part) => part.lines)];
		if (lines.length === 0) return;
		around.push({ ...placeOf(attributes, inside), isTitle: kind === 'title', lines });
	});
}

function placeOf(attributes: Attributes, inside: readonly Shape[]): { x: number; y: number } {
	const moved = /translate\s*\(\s*(-?[\d.]{1,30}[a-z]{2})[\s,]+(-?[\d.]{1,30}[a-z]{2})\s*\)/.exec(
		attributes['drawing:transform'] ?? '',
	);
	const x = lengthOf(attributes['svg:x'] ?? attributes['svg:x1'] ?? moved?.[1]);
	const y = lengthOf(attributes['svg:y'] ?? attributes['svg:y1'] ?? moved?.[2]);
	return {
		x: x ?? inside.reduce((least, part) => Math.min(least, part.x), inside[0]?.x ?? 0),
		y: y ?? inside.reduce((least, part) => Math.min(least, part.y), inside[0]?.y ?? 0),
	};
}
