import type { PDFPageProxy } from 'pdfjs-dist';
import { OPS, Util } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { TextItem } from '../layout/page.ts';

/** pdf.js has no type for it. */
type Annotation = Readonly<Record<string, unknown>>;

const lineHeight = 12;

/** The texts of a page, hidden ones included. Text outside the page is left out. */
export async function printedItems(page: PDFPageProxy): Promise<TextItem[]> {
	const { transform, width, height } = page.getViewport({ scale: 1 });
	const content = await page.getTextContent().catch(() => undefined);
	return (content?.items ?? []).flatMap((item) => {
		if (!('str' in item) || item.str.trim() === '') return [];
		const [a, b, c, d, x, y] = Util.transform(transform, item.transform);
		if (!(x >= -1 && y >= -1 && x <= width + 1 && y <= height + 1)) return [];
		const size = Math.hypot(c, d);
		// A vertical line reads downwards, with its middle below the origin.
		const isVertical = content?.styles[item.fontName]?.vertical === true;
		const angle = Math.atan2(b, a) + (isVertical ? Math.PI / 2 : 0);
		const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
		return {
			text: item.str,
			x: x * cosine + y * sine,
			y: y * cosine - x * sine - (isVertical ? 0.5 : 0.8) * size,
			width: isVertical ? item.height : item.width,
			height: size,
			rotation: (angle * 180) / Math.PI,
		};
	});
}

/** Values of form fields and text annotations of a page. */
export async function fieldItems(page: PDFPageProxy): Promise<TextItem[]> {
	const annotations = await page.getAnnotations().catch(() => []);
	const viewport = page.getViewport({ scale: 1 });
	return annotations.flatMap((annotation) => {
		const lines = textOf(annotation)
			.split(/[\r\n]+/)
			.filter((line) => line.trim() !== '');
		const [left, bottom, right, top] = annotation.rect;
		const [x0, y0] = viewport.convertToViewportPoint(left, bottom);
		const [x1, y1] = viewport.convertToViewportPoint(right, top);
		const [box, width] = [Math.abs(y1 - y0), Math.abs(x1 - x0)];
		const height = Math.min(lineHeight, Math.max(6, box / lines.length));
		const inset = lines.length === 1 && box < 3 * lineHeight ? (box - height) / 2 : 0;
		return lines.map((text, at) => ({
			text,
			x: Math.min(x0, x1),
			y: Math.min(y0, y1) + inset + at * height,
			width: Math.min(width, text.length * height * 0.5),
			height,
			rotation: 0,
		}));
	});
}

function textOf({ subtype, hidden, password, fieldType, fieldValue: value, ...annotation }: Annotation): string {
	if (hidden || password) return '';
	if (subtype === 'FreeText') return (annotation.contentsObj as { str?: string } | undefined)?.str ?? '';
	if (subtype !== 'Widget') return '';
	if (fieldType === 'Btn') {
		const own = annotation.checkBox ? annotation.exportValue : annotation.buttonValue;
		return own === undefined || own === null ? '' : own === value ? '[x]' : '[ ]';
	}
	const text = Array.isArray(value) ? value.join(', ') : value;
	return typeof text === 'string' ? text : '';
}

/**
 * The share of a page that its largest picture covers. `maxImageSize` makes pdf.js leave out all pictures, so a
 * transform without a painting operator after it is the position of a picture.
 */
export async function pictureShare(page: PDFPageProxy): Promise<number> {
	const { fnArray, argsArray } = await page.getOperatorList().catch(() => ({ fnArray: [], argsArray: [] }));
	const { width, height } = page.getViewport({ scale: 1 });
	const saved: number[][] = [];
	let matrix = [1, 0, 0, 1, 0, 0];
	let largest = 0;
	fnArray.forEach((operator, at) => {
		if (operator === OPS.save) saved.push(matrix);
		if (operator === OPS.restore) matrix = saved.pop() ?? matrix;
		if (operator !== OPS.transform) return;
		matrix = Util.transform(matrix, argsArray[at]);
		const [a = 0, b = 0, c = 0, d = 0] = matrix;
		const paintsNothing = [OPS.restore, OPS.endMarkedContent, undefined].includes(fnArray[at + 1]);
		if (paintsNothing) largest = Math.max(largest, Math.abs(a * d - b * c));
	});
	return largest / (width * height);
}
