import type { PageSize, TextItem } from '../layout/item.ts';

/** One page as an engine gives it, upright or not, with form values among its items. */
export interface EnginePage extends PageSize {
	readonly page: number;
	readonly items: readonly TextItem[];
	/** Pictures cover so much of it that they may hold its text. */
	readonly isPicture: boolean;
	/** The engine itself does not trust its text. */
	readonly isDoubtful: boolean;
}

/** Neighbouring pages of a document, and how many it has in all. */
export interface Batch {
	readonly pageCount: number;
	readonly pages: readonly EnginePage[];
}

/** A form field's value, and where it stands. */
export interface FieldValue {
	readonly text: string;
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

const lineHeight = 12;

/** Values become items like printed ones. A value that the page prints already is left out. */
export function itemsOfField(field: FieldValue, printed: readonly TextItem[]): TextItem[] {
	const { x, y, width } = field;
	const lines = field.text.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
	const height = Math.min(lineHeight, Math.max(6, field.height / Math.max(1, lines.length)));
	const top = lines.length === 1 ? y + (field.height - height) / 2 : y;
	return lines
		.map((text, index) => ({
			text,
			x,
			y: field.height > 3 * lineHeight ? y + index * height : top + index * height,
			width: Math.min(width, text.length * height * 0.5),
			height,
			rotation: 0,
		}))
		.filter((item) => !printed.some((other) => isPrinted(item, other)));
}

function isPrinted(item: TextItem, other: TextItem): boolean {
	return (
		other.text.includes(item.text.trim()) &&
		other.x < item.x + item.width &&
		item.x < other.x + other.width &&
		other.y < item.y + item.height &&
		item.y < other.y + other.height
	);
}
