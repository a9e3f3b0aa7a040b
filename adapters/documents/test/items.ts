import type { TextItem } from '../src/layout/page.ts';

/** A text item of `size` points at a position; its characters are half as wide as high. */
export function item(text: string, x: number, y: number, size = 10): TextItem {
	return { text, x, y, width: text.length * size * 0.5, height: size, rotation: 0 };
}

/** Text items below each other, `pitch` points apart. */
export function column(texts: readonly string[], x: number, y: number, pitch = 12): TextItem[] {
	return texts.map((text, index) => item(text, x, y + index * pitch));
}

/** The text items of a table row at the given positions. */
export function row(texts: readonly string[], xs: readonly number[], y: number): TextItem[] {
	return texts.flatMap((text, index) => (text === '' ? [] : [item(text, xs[index] ?? 0, y)]));
}

/** Lines of running text of about 40 characters, each with its number. */
export function prose(name: string, lines: number): string[] {
	return Array.from({ length: lines }, (_, at) => `the ${name} number ${at} goes over some words and on`);
}
