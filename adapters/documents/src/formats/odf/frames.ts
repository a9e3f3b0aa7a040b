import type { Attributes } from '../../markup/xml.ts';
import { alternative } from '../flow/alternative.ts';
import type { Body, Close, Opening } from './body.ts';

/** Frames and shapes of a text, by the element. Their lines follow the paragraph that they are anchored in. */
export const frames: readonly (readonly [string, Opening])[] = [
	...shapesOf(frame),
	['drawing:image', image],
	['drawing:object', object],
	['svg:title', alternativeText],
	['svg:desc', alternativeText],
];

/** All elements that draw something, each opened in this way. */
export function shapesOf(opening: Opening): readonly (readonly [string, Opening])[] {
	return 'frame custom-shape rect ellipse circle line connector path polygon polyline regular-polygon caption measure g control'
		.split(' ')
		.map((name) => [`drawing:${name}`, opening] as const);
}

function frame(body: Body, attributes: Attributes): Close {
	const isInText = body.isInParagraph;
	const isInLine = attributes['text:anchor-type'] === 'as-char';
	return framed(body, (lines) => {
		const [first] = lines;
		if (!isInText) body.flow.lines(lines);
		else if (!isInLine || lines.length > 1) for (const line of lines) body.after.push(line);
		else if (first !== undefined) {
			body.flow.blank();
			body.flow.text(first);
			body.flow.blank();
		}
	});
}

/** Reads what stands in a frame, apart from what stands around it: its text, or what is said of a picture without. */
export function framed(body: Body, done: (lines: readonly string[]) => void): Close {
	const { picture: outer } = body;
	const own = { isPicture: false, text: '' };
	body.picture = own;
	return body.apart((lines) => {
		body.picture = outer;
		const said = own.isPicture && lines.length === 0 ? alternative(own.text) : undefined;
		done(said === undefined ? lines : [said]);
	});
}

function image({ picture }: Body): undefined {
	if (picture) picture.isPicture = true;
}

/** A chart, a formula or a table that has a file of its own. */
function object({ flow, objects }: Body, attributes: Attributes): undefined {
	const name = attributes['xlink:href']?.replace(/^(?:\.\/)+|\/$/g, '');
	flow.lines(objects.get(name ?? '') ?? []);
}

function alternativeText(body: Body): Close {
	const { picture } = body;
	const end = body.apart((lines) => {
		if (picture) picture.text ||= lines.join(' ');
	});
	const endText = body.paragraph();
	return () => {
		endText();
		end();
	};
}
