import { hex, mix, type Rgb, rgb } from '../scene/color.ts';
import type { Font } from '../scene/font.ts';
import { balanceLines, breakLines, type Measure, splitWord, withEllipsis } from '../scene/lines.ts';
import type { Drawing } from '../scene/raster.ts';
import { escapeXml } from '../scene/raster.ts';
import type { Surface } from './surface.ts';

/** A caption in its lines. */
export interface Caption {
	readonly lines: readonly string[];
	/** Size of the type in pixels. */
	readonly size: number;
	/** True when words had to be left out at the end. */
	readonly shortened: boolean;
	/** True when the typefaces lack some of the characters. */
	readonly incomplete: boolean;
}

/** A caption takes at most this share of the height, and of the width. */
const ROOM = { height: 0.32, width: 0.84 };
/** Between plate and border, as a share of the height. */
const MARGIN = 0.055;
/** From line to line, and around all of them, in em. */
const STEP = 1.3;
const PAD = { x: 1.5, y: 0.9 };
/** Sizes of the type as shares of the picture's mean side. */
const LARGEST = 0.07;
const SMALLEST = 0.034;
/** How many lines, down to which size: rather a line less than larger type. */
const SETTINGS = [
	[1, 0.056],
	[2, 0.05],
	[3, 0.043],
	[6, SMALLEST],
] as const;
/** How far the shade around a plate reaches, in em. */
const HALO = 1.8;
/** Extra room between letters and words in em: readers, machines above all, keep words apart more easily. */
const GAP = { letter: 0.012, word: 0.08 };

/** Breaks a caption into lines for a picture of a size in pixels. Characters without a shape are left out, never drawn as boxes. */
export function layOutCaption(
	text: string,
	fonts: readonly Font[],
	picture: { readonly width: number; readonly height: number },
): Caption {
	const shape = (char: string): boolean => fonts.some((font) => font.has(char.codePointAt(0) ?? 0));
	const drawable = Array.from(text, (char) => (char === ' ' || shape(char) ? char : ' ')).join('');
	const words = drawable.split(/\s+/u).filter((word) => word !== '');
	const incomplete = drawable !== text;
	const measure = measureIn(fonts);
	const unit = Math.sqrt(picture.width * picture.height);
	for (const [lineCount, smallest] of SETTINGS) {
		for (let size = unit * LARGEST; size >= unit * smallest; size *= 0.95) {
			const [room, most] = roomFor(picture, size);
			if (most < 1 || words.some((word) => measure(word) > room)) continue;
			const { lines, rest } = breakLines(words, measure, room, Math.min(most, lineCount));
			if (rest) continue;
			const even = balanceLines(lines, words, measure, room);
			return { lines: even, size, shortened: false, incomplete };
		}
	}
	return { ...lastResort(words, measure, picture, unit * SMALLEST), incomplete };
}

function roomFor(picture: { width: number; height: number }, size: number): [number, number] {
	const wide = (picture.width * ROOM.width) / size - PAD.x * 2;
	const lines = Math.floor(((picture.height * ROOM.height) / size - PAD.y * 2) / STEP);
	return [wide, Math.min(6, lines)];
}

/** The smallest type, with words cut and left out. */
function lastResort(
	words: readonly string[],
	measure: Measure,
	picture: { width: number; height: number },
	size: number,
): Omit<Caption, 'incomplete'> {
	const [room, lineCount] = roomFor(picture, size);
	const most = Math.max(1, lineCount);
	const parts = words.flatMap((word) => splitWord(word, measure, room, most));
	const { lines, rest } = breakLines(parts, measure, room, most);
	if (!rest) return { lines, size, shortened: false };
	const last = withEllipsis(lines.at(-1) ?? '', measure, room);
	return { lines: [...lines.slice(0, -1), last], size, shortened: true };
}

/** Each character in the first typeface that has it. */
function measureIn(fonts: readonly Font[]): Measure {
	return (text) => {
		let width = 0;
		for (const char of text) {
			const font = fonts.find((each) => each.has(char.codePointAt(0) ?? 0)) ?? fonts[0];
			width += (font?.measure(char) ?? 0) + GAP.letter + (char === ' ' ? GAP.word : 0);
		}
		return width;
	};
}

/** Draws a caption on a plate whose colour comes from what lies behind it; undefined when there is nothing to write. */
export function drawCaption(
	caption: Caption,
	fonts: readonly Font[],
	surface: Surface,
	{ place, shaded }: { readonly place: 'top' | 'bottom'; readonly shaded: boolean },
): { readonly drawing: Drawing; readonly x: number; readonly y: number } | undefined {
	const { lines, size } = caption;
	if (lines.length === 0) return undefined;
	const measure = measureIn(fonts);
	const widest = Math.max(...lines.map(measure));
	const width = Math.ceil((widest + PAD.x * 2) * size);
	const height = plateHeight(caption);
	const x = Math.round((surface.width - width) / 2);
	const margin = Math.round(surface.height * MARGIN);
	const y = place === 'top' ? margin : surface.height - height - margin;
	const { plate, type } = colorsFor(behind(surface, { x, y, width, height }));
	const first = height / 2 - ((lines.length - 1) / 2) * STEP * size + size * 0.362;
	const text = lines
		.map((line, i) => {
			const row = (first + i * STEP * size).toFixed(1);
			return `<text x="${(width / 2).toFixed(1)}" y="${row}" text-anchor="middle">${escapeXml(line)}</text>`;
		})
		.join('');
	const families = fonts.map(({ family }) => family).join(', ');
	const reach = shaded ? Math.round(size * HALO) : 0;
	const body = `<g transform="translate(${reach} ${reach})">${halo(width, height, reach, hex(plate))}
		<rect width="${width}" height="${height}" rx="${(size * 0.25).toFixed(1)}" fill="${hex(plate)}"/>
		<g font-family="${families}" font-weight="600" font-size="${size.toFixed(2)}" letter-spacing="${(size * GAP.letter).toFixed(2)}" word-spacing="${(size * GAP.word).toFixed(2)}" fill="${hex(type)}">${text}</g></g>`;
	return {
		drawing: { width: width + reach * 2, height: height + reach * 2, body },
		x: x - reach,
		y: y - reach,
	};
}

/** A soft shade around the plate, so that what lies there does not run into the type. */
function halo(width: number, height: number, reach: number, color: string): string {
	return Array.from({ length: 16 }, (_, i) => {
		const grow = reach * (1 - i / 16);
		const place = `x="${(-grow).toFixed(1)}" y="${(-grow).toFixed(1)}"`;
		const size = `width="${(width + grow * 2).toFixed(1)}" height="${(height + grow * 2).toFixed(1)}"`;
		return `<rect ${place} ${size} rx="${(reach * 0.14 + grow).toFixed(1)}" fill="${color}" fill-opacity="0.105"/>`;
	}).join('');
}

/** How many rows a caption takes at its border of a picture of a height in pixels. */
export function captionRows(caption: Caption, height: number): number {
	return caption.lines.length === 0 ? 0 : plateHeight(caption) + Math.round(height * MARGIN);
}

function plateHeight({ lines, size }: Caption): number {
	return Math.ceil((lines.length * STEP + PAD.y * 2) * size);
}

/** The mean colour of a part of the picture; transparent parts count as white. */
function behind({ width, height, data }: Surface, box: { x: number; y: number; width: number; height: number }): Rgb {
	const sum = [0, 0, 0];
	let count = 0;
	for (let y = Math.max(0, box.y); y < Math.min(height, box.y + box.height); y += 4) {
		for (let x = Math.max(0, box.x); x < Math.min(width, box.x + box.width); x += 4) {
			const at = (y * width + x) * 4;
			const open = 255 - (data[at + 3] as number);
			for (let k = 0; k < 3; k++) sum[k] = (sum[k] as number) + (data[at + k] as number) + open;
			count++;
		}
	}
	return sum.map((part) => part / Math.max(1, count)) as unknown as Rgb;
}

/** A dark plate, or a bright one where it is bright, so that the plate does not look like a part of the scene: machines then read it best. */
function colorsFor(color: Rgb): { plate: Rgb; type: Rgb } {
	const light = (color[0] * 0.2126 + color[1] * 0.7152 + color[2] * 0.0722) / 255;
	const [paper, night] = [rgb('#fbf7ee'), rgb('#0c1018')];
	return light > 0.72
		? { plate: mix(paper, color, 0.1), type: mix(night, color, 0.1) }
		: { plate: mix(night, color, 0.16), type: paper };
}
