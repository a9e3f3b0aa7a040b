import { type Surface, veil } from './stage.ts';
import { cleanText } from './words.ts';

export const typeface = 'Inter';

/** Characters that the typeface does not have. It has Latin, Greek, Cyrillic and punctuation. */
const missing = /[^ -~¡-ňŊ-ƿȀ-ɏΆ-ώЀ-џḀ-ẛẞ-ỿ‐-‧‰-⁄€™→]/gu;
/** Characters that are nearly as wide as the font size, or at most four tenths of it. */
const [wide, narrow] = [/[mwMW@%©—…→‰жшщюѓЖШЩЮЫФДЪωψæœÆŒ]/u, /[\siljfrtI.,:;!'’‘|()\-[\]"„“”*°/]/u];
/** The sizes of captions as shares of the unit: the first for one line, the last for four. */
const sizes = [0.058, 0.05, 0.042, 0.034];

/** Breaks a caption into lines that fit into the width. */
export function layOutCaption(text: string, { width, unit }: Surface) {
	const clean = cleanText(text);
	// Longer words are cut, so that each fits into a line.
	const words = (clean.replace(missing, ' ').match(/\S{1,18}/gu) ?? []).slice(0, 100);
	const layouts = sizes.map((size, i) => {
		const room = (width * 0.88) / (unit * size);
		const lines = breakLines(words, room);
		return { size, lines, fits: lines.length <= i + 1 && lines.every((line) => widthOf(line) <= room) };
	});
	const { size, lines, fits } = layouts.find((layout) => layout.fits) ?? (layouts[3] as (typeof layouts)[number]);
	const warnings: string[] = [];
	if (!fits) warnings.push('The caption is shortened: it does not fit into the picture.');
	if (clean.search(missing) >= 0) warnings.push('The caption leaves out characters that the typeface does not have.');
	return { size, lines: fits ? lines : [...lines.slice(0, 3), `${lines[3]?.slice(0, -2)}…`], warnings };
}

/** Draws a caption at the bottom of the picture, on a dark background that fades out upwards. */
export function drawCaption(text: string, surface: Surface): string {
	const { width, height, unit } = surface;
	const { lines, size: share } = layOutCaption(text, surface);
	if (lines.length === 0) return '';
	const [size, step, foot] = [unit * share, unit * share * 1.36, height - unit * share * 1.15];
	const top = Math.max(0, foot - step * lines.length - size * 2.6);
	const texts = lines.map((line, i) => {
		const safe = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
		return `<text x="${width / 2}" y="${foot - step * (lines.length - 1 - i)}">${safe}</text>`;
	});
	return `${veil(surface, 'ground', top, height + 2, '0 #05070f 0, .22 #05070f .55, .45 #05070f .96, 1 #05070f .98')}
		<g font-family="${typeface}" font-weight="600" word-spacing="${size * 0.1}" font-size="${size}" fill="#fbf8f0"
		text-anchor="middle">${texts.join('')}</g>`;
}

/** Puts as many words into each line as fit. */
function breakLines(words: readonly string[], room: number): string[] {
	const lines: string[] = [];
	for (const word of words) {
		const longer = `${lines.at(-1)} ${word}`;
		if (lines.length > 0 && widthOf(longer) <= room) lines[lines.length - 1] = longer;
		else lines.push(word);
	}
	return lines;
}

function widthOf(text: string): number {
	return [...text].reduce((sum, char) => {
		if (wide.test(char)) return sum + 1.04;
		if (narrow.test(char)) return sum + 0.42;
		return sum + (/[\p{Lu}\p{N}]/u.test(char) ? 0.76 : 0.66);
	}, 0);
}
