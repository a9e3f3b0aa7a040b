import type { Rgb } from '../../../scene/color.ts';
import { hex } from '../../../scene/color.ts';
import { type Font, loadFont } from '../../../scene/font.ts';
import { balanceLines, breakLines, type Measure, splitWord, withEllipsis } from '../../../scene/lines.ts';
import { cleanLine } from '../../../scene/prompt.ts';
import { createRasterizer, escapeXml, svgDocument } from '../../../scene/raster.ts';
import { type Bitmap, luma, type Size } from '../bitmap.ts';
import type { Place } from '../grammar/parameters.ts';
import { lay, unpremultiply } from './alpha.ts';

/** How something is written on a picture. */
export interface Writing {
	readonly text: string;
	readonly place: Place;
	/** Absent: white or nearly black, whichever shows better. */
	readonly color?: Rgb | undefined;
	/** Height of the type in pixels; absent: it fits the picture. */
	readonly size?: number | undefined;
}

/** At most this many lines; what does not fit ends with an ellipsis. */
const MOST_LINES = 6;

/** Characters of a watermark. */
const MOST_REPEATED = 60;

const UNWRITABLE = 'the built-in typefaces have none of its characters';

const SHORTENED = 'The text was shortened to fit.';

/** Writes text into a picture, in place, within a band at the top, in the middle or at the bottom. Says what could not be written; `skip` where nothing could. */
export async function write(
	picture: Bitmap,
	writing: Writing,
	skip: (why: string) => void,
): Promise<readonly string[]> {
	const { width, height } = picture;
	const fonts = [await loadFont('caption'), await loadFont('bold')];
	const { text, notes } = drawable(writing.text, fonts);
	if (text === '') {
		skip(UNWRITABLE);
		return [];
	}
	const largest = Math.max(6, Math.min(writing.size ?? Math.min(width / 13, height / 9), height * 0.9, width));
	const { em, margin, lines, shortened } = layOutToFit(text, fonts, picture, largest);
	const block = Math.ceil(lines.length * em * 1.25 + em * 0.4);
	const top = Math.round(
		writing.place.y < 0 ? margin * 0.6 : writing.place.y > 0 ? height - block - margin * 0.6 : (height - block) / 2,
	);
	const color = writing.color ?? inkFor(picture, top, block);
	const anchor = (['start', 'middle', 'end'] as const)[writing.place.x + 1];
	const x = writing.place.x < 0 ? margin : writing.place.x > 0 ? width - margin : width / 2;
	const halo = luma(...color) > 120 ? '#000' : '#fff';
	const body = lines
		.map((line, i) => {
			const y = em * (1.05 + i * 1.25);
			return `<text x="${x}" y="${y}">${escapeXml(line)}</text>`;
		})
		.join('');
	const style = `font-family="${families(fonts)}" font-size="${em}" text-anchor="${anchor}" fill="${hex(color)}"`;
	const edge = `stroke="${halo}" stroke-opacity="0.55" stroke-width="${em * 0.14}" stroke-linejoin="round" paint-order="stroke"`;
	await stamp(picture, svgDocument(width, block, `<g ${style} ${edge}>${body}</g>`), fonts, top);
	return shortened ? [...notes, SHORTENED] : notes;
}

/** Repeats a text across the picture on a slant, or sets it once into a corner; translucent. `opacity` is 0 to 1. */
export async function watermark(
	picture: Bitmap,
	writing: Writing & { readonly opacity: number; readonly repeat: boolean },
	skip: (why: string) => void,
): Promise<readonly string[]> {
	const { width, height } = picture;
	const fonts = [await loadFont('caption'), await loadFont('bold')];
	const { text: all, notes } = drawable(writing.text, fonts);
	const text = Array.from(all).slice(0, MOST_REPEATED).join('');
	if (text === '') {
		skip(UNWRITABLE);
		return [];
	}
	const color = writing.color ?? [255, 255, 255];
	const look = `font-family="${families(fonts)}" fill="${hex(color)}" fill-opacity="${writing.opacity}" stroke="#000" stroke-opacity="${writing.opacity * 0.45}" paint-order="stroke"`;
	const body = writing.repeat
		? slanted(text, fonts, width, height, look)
		: inCorner(text, fonts, width, height, writing.place, look);
	await stamp(picture, svgDocument(width, height, body), fonts, 0);
	return text === all ? notes : [...notes, SHORTENED];
}

function slanted(text: string, fonts: readonly Font[], width: number, height: number, look: string): string {
	const diagonal = Math.hypot(width, height);
	const em = Math.max(8, diagonal / 22);
	const step = measureWith(fonts, em)(text) + em * 2.4;
	const rows: string[] = [];
	for (let row = 0, y = -diagonal / 2; y < diagonal / 2; y += em * 3.4, row++) {
		for (let x = -diagonal / 2 - (row % 2) * step * 0.5; x < diagonal / 2; x += step) {
			rows.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}">${escapeXml(text)}</text>`);
		}
	}
	return `<g transform="translate(${width / 2} ${height / 2}) rotate(-30)" font-size="${em}" stroke-width="${em * 0.05}" ${look}>${rows.join('')}</g>`;
}

function inCorner(
	text: string,
	fonts: readonly Font[],
	width: number,
	height: number,
	{ x, y }: Place,
	look: string,
): string {
	const room = width * 0.9;
	const wanted = Math.max(8, Math.min(width, height) / 18);
	const em = Math.min(wanted, (wanted * room) / measureWith(fonts, wanted)(text));
	const margin = em * 0.7;
	const left = x < 0 ? margin : x > 0 ? width - margin : width / 2;
	const base = y < 0 ? margin + em * 0.8 : y > 0 ? height - margin : height / 2 + em * 0.35;
	const anchor = (['start', 'middle', 'end'] as const)[x + 1];
	return `<text x="${left}" y="${base}" text-anchor="${anchor}" font-size="${em}" stroke-width="${em * 0.06}" ${look}>${escapeXml(text)}</text>`;
}

async function stamp(picture: Bitmap, svg: string, fonts: readonly Font[], y: number): Promise<void> {
	const { width, height, data } = (await createRasterizer(...fonts))(svg);
	const drawn: Bitmap = {
		width,
		height,
		data: new Uint8Array(data.buffer, data.byteOffset, data.length),
	};
	unpremultiply(drawn);
	lay(picture, drawn, 0, y);
}

function families(fonts: readonly Font[]): string {
	return fonts.map(({ family }) => `'${family}'`).join(', ');
}

/** Leaves out what no typeface can draw. */
function drawable(text: string, fonts: readonly Font[]): { text: string; notes: readonly string[] } {
	const clean = cleanLine(text);
	const able = Array.from(clean, (char) =>
		fonts.some((font) => font.has(char.codePointAt(0) as number)) ? char : ' ',
	).join('');
	const notes = able === clean ? [] : ['The text leaves out characters that the built-in typefaces do not have.'];
	return { text: able.replace(/\s+/g, ' ').trim(), notes };
}

function measureWith(fonts: readonly Font[], em: number): Measure {
	return (text) => {
		let sum = 0;
		for (const char of text) {
			const font = fonts.find((one) => one.has(char.codePointAt(0) as number)) ?? fonts[0];
			sum += font?.measure(char) ?? 0;
		}
		return sum * em * 1.02;
	};
}

/** Long texts are set smaller before they are shortened. */
function layOutToFit(
	text: string,
	fonts: readonly Font[],
	{ width, height }: Size,
	largest: number,
): ReturnType<typeof layOut> & { readonly em: number; readonly margin: number } {
	for (let em = largest; ; em *= 0.85) {
		const margin = Math.max(em * 0.5, Math.min(width, height) * 0.04);
		const most = Math.floor((height * 0.8) / (em * 1.25));
		const laid = layOut(text, measureWith(fonts, em), width - margin * 2, most);
		if (!laid.shortened || em < largest / 2 || em < 10) return { ...laid, em, margin };
	}
}

function layOut(
	text: string,
	measure: Measure,
	width: number,
	most: number,
): { lines: readonly string[]; shortened: boolean } {
	const limit = Math.min(MOST_LINES, Math.max(1, most));
	const words = text.split(' ').flatMap((word) => splitWord(word, measure, width, limit + 1));
	const { lines, rest } = breakLines(words, measure, width, limit);
	if (!rest) return { lines: balanceLines(lines, words, measure, width), shortened: false };
	const last = withEllipsis(`${lines.at(-1) ?? ''} …`, measure, width);
	return { lines: [...lines.slice(0, -1), last], shortened: true };
}

/** White on dark and nearly black on light. */
function inkFor({ width, height, data }: Bitmap, top: number, block: number): Rgb {
	let [sum, count] = [0, 0];
	const step = Math.max(1, Math.floor((width * block) / 4000));
	const from = Math.max(0, top) * width;
	for (let k = from; k < Math.min(height, top + block) * width; k += step) {
		sum += luma(data[k * 4] as number, data[k * 4 + 1] as number, data[k * 4 + 2] as number);
		count++;
	}
	return sum / Math.max(1, count) > 165 ? [18, 20, 26] : [255, 255, 255];
}
