import type { Font } from '../scene/font.ts';
import { balanceLines, breakLines, type Measure, splitWord, withEllipsis } from '../scene/lines.ts';
import { cleanLine } from '../scene/prompt.ts';
import { escapeXml, svgDocument } from '../scene/raster.ts';

/** A prompt as it is written on the picture. */
export interface Title {
	readonly lines: readonly string[];
	/** Size of the type as a share of {@link titleSize}: long prompts are set smaller. */
	readonly scale: number;
	/** True when words had to be left out at the end. */
	readonly shortened: boolean;
	/** True when the typeface lacks some of the characters. */
	readonly incomplete: boolean;
}

/** The drawn title: a band along the lower border and a thin mat around all the rest, as large as the frame. */
export interface TitleBand {
	readonly svg: string;
	/** The row from which on the band hides everything. */
	readonly y: number;
}

const PLATE = '#0d1118';
const TYPE = '#f6f3ea';

/** How a title may be set, best first: few lines in large type, then more in smaller type. */
const settings = [
	{ scale: 1, lines: 2 },
	{ scale: 0.86, lines: 3 },
	{ scale: 0.72, lines: 4 },
] as const;

/** Extra room between words in em: readers, machines above all, take `a cat` in bold type for one word. */
const WORD_GAP = 0.14;

/** Breaks a prompt into lines of at most `width` em of the full size. Characters without a shape are left out, never drawn as boxes. */
export function layOutTitle(prompt: string, font: Font, width: number): Title {
	const clean = cleanLine(prompt);
	const drawable = Array.from(clean, (char) => (drawableIn(font, char) ? char : ' ')).join('');
	const incomplete = drawable !== clean;
	const words = drawable.split(/\s+/u).filter((word) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(word));
	for (const { scale, lines: most } of settings) {
		const room = width / scale;
		const parts = words.flatMap((word) => splitWord(word, font.measure, room, most));
		const { lines, rest } = breakLines(parts, spaced(font), room, most);
		if (!rest && parts.length === words.length) {
			return {
				lines: balanceLines(lines, parts, spaced(font), room),
				scale,
				shortened: false,
				incomplete,
			};
		}
	}
	return { ...lastResort(words, font, width), incomplete };
}

/** The size of short titles in pixels. */
export function titleSize(width: number, height: number): number {
	return Math.round(Math.min(width / 15.5, height / 14));
}

/**
 * Draws the lines on a band along the lower border of the frame; undefined when there is nothing to write.
 *
 * Band and mat are opaque and of one colour: text recognition then takes the scene for a picture, not for part of the page.
 */
export function titleBand(title: Title, font: Font, frame: { width: number; height: number }): TitleBand | undefined {
	if (title.lines.length === 0) return undefined;
	const { width, height } = frame;
	const size = titleSize(width, height) * title.scale;
	const mat = Math.max(2, Math.round(Math.sqrt(width * height) * 0.00625) * 2);
	const [step, pad] = [size * 1.42, size * 0.62];
	// On the border of an encoder's block, the band stays sharp and does not shimmer with what moves above it.
	const y = height - blocks(pad * 1.6 + step * title.lines.length);
	const first = (y + height - step * (title.lines.length - 1)) / 2 + size * 0.35;
	const lines = title.lines.map(
		(line, i) => `<text x="${width / 2}" y="${first + i * step}" text-anchor="middle">${escapeXml(line)}</text>`,
	);
	const body = `
		<path d="M0 0H${width}V${height}H0ZM${mat} ${mat}V${y}H${width - mat}V${mat}Z" fill="${PLATE}"/>
		<g font-family="${font.family}" font-weight="700" font-size="${size}" word-spacing="${size * WORD_GAP}" fill="${TYPE}">${lines.join('')}</g>`;
	return { svg: svgDocument(width, height, body), y };
}

/** The smallest setting, with words cut and left out. */
function lastResort(words: readonly string[], font: Font, width: number): Omit<Title, 'incomplete'> {
	const { scale, lines: most } = settings[settings.length - 1] as (typeof settings)[number];
	const room = width / scale;
	const parts = words.flatMap((word) => splitWord(word, font.measure, room, most));
	const { lines, rest } = breakLines(parts, spaced(font), room, most);
	if (!rest && parts.join('') === words.join('')) return { lines, scale, shortened: false };
	const last = withEllipsis(lines.at(-1) ?? '', spaced(font), room);
	return { lines: [...lines.slice(0, -1), last], scale, shortened: true };
}

function drawableIn(font: Font, char: string): boolean {
	return font.has(char.codePointAt(0) as number);
}

function spaced(font: Font): Measure {
	return (line) => font.measure(line) + (line.split(' ').length - 1) * WORD_GAP;
}

/** Rounds up to whole blocks of 16 pixels. */
function blocks(length: number): number {
	return Math.ceil(length / 16) * 16;
}
