import type { Font } from './font.ts';
import { cleanLine } from './prompt.ts';
import { escapeXml, svgDocument } from './raster.ts';

/** A prompt as it is written on the picture. */
export interface Title {
	readonly lines: readonly string[];
	/** True when words had to be left out at the end. */
	readonly shortened: boolean;
	/** True when the typeface lacks some of the characters. */
	readonly incomplete: boolean;
}

/** A drawing and where its top left corner belongs. */
export interface PlacedSvg {
	readonly svg: string;
	readonly x: number;
	readonly y: number;
}

const MAX_LINES = 3;

/** Breaks a prompt into lines of at most `width` em. Characters without a shape are left out, never drawn as boxes. */
export function layOutTitle(prompt: string, font: Font, width: number): Title {
	const clean = cleanLine(prompt);
	const drawable = Array.from(clean, (char) => (drawableIn(font, char) ? char : ' ')).join('');
	const incomplete = drawable !== clean;
	const words = drawable.split(/\s+/u).filter((word) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(word));
	const parts = words.flatMap((word) => splitWord(word, font, width));
	const complete = parts.join('') === words.join('');
	const { lines, rest } = breakLines(parts, font, width);
	if (rest || !complete) {
		return {
			lines: [...lines.slice(0, -1), withEllipsis(lines.at(-1) ?? '', font, width)],
			shortened: true,
			incomplete,
		};
	}
	return { lines: balance(lines, parts, font, width), shortened: false, incomplete };
}

/** Font size in pixels for a frame. */
export function titleSize(width: number, height: number): number {
	return Math.round(Math.min(width / 15.5, height / 13));
}

/** Draws the lines, bright on a dark translucent plate, in the lower part of the frame; undefined when there is nothing to write. */
export function titleSvg(
	title: Title,
	font: Font,
	frame: { width: number; height: number },
	accent: string,
): PlacedSvg | undefined {
	if (title.lines.length === 0) return undefined;
	const size = titleSize(frame.width, frame.height);
	const [step, pad] = [size * 1.28, size * 0.62];
	const text = Math.max(...title.lines.map((line) => font.measure(line))) * size;
	const width = Math.min(frame.width, even(text + pad * 2.5 + 8));
	const height = even(step * title.lines.length + pad * 1.5);
	const lines = title.lines.map(
		(line, i) =>
			`<text x="${width / 2}" y="${pad * 0.75 + size * 0.98 + i * step}" text-anchor="middle">${escapeXml(line)}</text>`,
	);
	const body = `
		<rect width="${width}" height="${height}" rx="${size * 0.34}" fill="#0a0e18" fill-opacity="0.8"/>
		<rect x="${width / 2 - size}" y="${height - size * 0.2}" width="${size * 2}" height="${Math.max(2, size * 0.07)}" fill="${accent}"/>
		<g font-family="${font.family}" font-weight="700" font-size="${size}" fill="#fdfdfb">${lines.join('')}</g>`;
	const bottom = Math.round(frame.height * (frame.height > frame.width ? 0.055 : 0.05));
	return {
		svg: svgDocument(width, height, body),
		x: even((frame.width - width) / 2),
		y: even(frame.height - bottom - height),
	};
}

/** Fills lines one after the other; `rest` tells whether words are left when the last line is full. */
function breakLines(
	words: readonly string[],
	font: Font,
	width: number,
): { lines: string[]; rest: boolean } {
	const lines: string[] = [];
	for (const word of words) {
		const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
		if (lines.length > 0 && font.measure(longer) <= width) lines[lines.length - 1] = longer;
		else if (lines.length === MAX_LINES) return { lines, rest: true };
		else lines.push(word);
	}
	return { lines, rest: false };
}

/** Narrows the lines as long as their number stays, so that no word stands alone on the last one. */
function balance(
	lines: readonly string[],
	words: readonly string[],
	font: Font,
	width: number,
): readonly string[] {
	let best = lines;
	for (let narrow = width * 0.94; narrow > width * 0.3; narrow *= 0.94) {
		const next = breakLines(words, font, narrow);
		if (next.rest || next.lines.length > lines.length) break;
		if (next.lines.every((line) => font.measure(line) <= narrow)) best = next.lines;
	}
	return best;
}

function drawableIn(font: Font, char: string): boolean {
	return font.has(char.codePointAt(0) as number);
}

/** Cuts a word that is wider than a line. */
function splitWord(word: string, font: Font, width: number): readonly string[] {
	if (font.measure(word) <= width) return [word];
	const parts: string[] = [];
	let part = '';
	for (const char of word) {
		if (font.measure(part + char) > width) {
			parts.push(part);
			part = '';
			if (parts.length > MAX_LINES) return parts;
		}
		part += char;
	}
	return [...parts, part];
}

function withEllipsis(line: string, font: Font, width: number): string {
	const chars = Array.from(line);
	while (chars.length > 0 && font.measure(`${chars.join('')}…`) > width) chars.pop();
	return `${chars.join('').replace(/[\s,;:.]+$/u, '')}…`;
}

function even(value: number): number {
	return Math.ceil(value / 2) * 2;
}
