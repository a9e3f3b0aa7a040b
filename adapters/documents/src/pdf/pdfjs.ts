import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/types/src/display/api.js';
import type { TextItem } from '../layout/item.ts';
import { type EnginePage, type FieldValue, itemsOfField } from './engine.ts';

/** A document opened with pdf.js. */
export interface PdfJsDocument {
	readonly pageCount: number;
	page(number: number): Promise<EnginePage>;
	close(): Promise<void>;
}

/** Opens a PDF with pdf.js, which is loaded by the first call. Throws the engine's own error. */
export async function openWithPdfJs(bytes: Buffer): Promise<PdfJsDocument> {
	const { getDocument, Util } = await import('pdfjs-dist/legacy/build/pdf.mjs');
	const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
	const task = getDocument({
		// It takes the memory over: a copy keeps the caller's bytes.
		data: new Uint8Array(bytes),
		verbosity: 0,
		useSystemFonts: false,
		disableFontFace: true,
		// Without these, texts in East Asian encodings are lost.
		cMapUrl: `${join(folder, 'cmaps')}/`,
		standardFontDataUrl: `${join(folder, 'standard_fonts')}/`,
	});
	const document: PDFDocumentProxy = await task.promise.catch(async (error: unknown) => {
		await task.destroy();
		throw error;
	});
	return {
		pageCount: document.numPages,
		async page(number) {
			const page = await document.getPage(number);
			const read = await readPage(page, number, Util.transform);
			page.cleanup();
			return read;
		},
		close: () => task.destroy(),
	};
}

type Matrix = readonly number[];

async function readPage(
	page: PDFPageProxy,
	number: number,
	multiply: (one: number[], other: number[]) => number[],
): Promise<EnginePage> {
	const viewport = page.getViewport({ scale: 1 });
	const { items, styles } = await page.getTextContent();
	const printed = items.flatMap((item) => {
		if (!('str' in item) || item.str.trim() === '') return [];
		const matrix = multiply(viewport.transform, item.transform);
		return [boxOf(item, matrix, styles[item.fontName]?.vertical === true)];
	});
	const annotations: unknown[] = await page.getAnnotations();
	const values = annotations.flatMap((annotation) => {
		const field = fieldOf(annotation as Annotation);
		if (!field) return [];
		const box = rectangle(field.rect, viewport.transform);
		const value: FieldValue = { text: field.text, ...box };
		return [value];
	});
	return {
		page: number,
		width: viewport.width,
		height: viewport.height,
		items: [...printed, ...values.flatMap((value) => itemsOfField(value, printed))],
		isPicture: false,
		isDoubtful: false,
	};
}

/** Two corners of a rectangle in the page's own space, as a box on the page. */
function rectangle([x0 = 0, y0 = 0, x1 = 0, y1 = 0]: readonly number[], matrix: Matrix) {
	const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = matrix;
	const [left, right] = [a * x0 + c * y0 + e, a * x1 + c * y1 + e];
	const [top, bottom] = [b * x0 + d * y0 + f, b * x1 + d * y1 + f];
	const corner = { x: Math.min(left, right), y: Math.min(top, bottom) };
	return { ...corner, width: Math.abs(right - left), height: Math.abs(bottom - top) };
}

/** The box around a text that begins at the matrix's origin and runs along its first axis (vertical text: against its second). */
function boxOf(
	item: { readonly str: string; readonly width: number; readonly height: number },
	[a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Matrix,
	isVertical: boolean,
): TextItem {
	const size = Math.hypot(c, d) || 1;
	const [alongX, alongY] = unit(a, b);
	const [upX, upY] = unit(c, d);
	const [from, to] = isVertical ? [-item.width / 2, item.width / 2] : [0, item.width];
	const [low, high] = isVertical ? [-item.height, 0] : [-0.2 * size, 0.85 * size];
	const xs = [from, to].flatMap((x) => [low, high].map((y) => e + x * alongX + y * upX));
	const ys = [from, to].flatMap((x) => [low, high].map((y) => f + x * alongY + y * upY));
	const [x, y] = [Math.min(...xs), Math.min(...ys)];
	const angle = (Math.atan2(alongY, alongX) * 180) / Math.PI + (isVertical ? 90 : 0);
	return {
		text: item.str,
		x,
		y,
		width: Math.max(...xs) - x,
		height: Math.max(...ys) - y,
		rotation: angle,
	};
}

function unit(x: number, y: number): readonly [number, number] {
	const length = Math.hypot(x, y) || 1;
	return [x / length, y / length];
}

/** Of pdf.js' annotations, which it does not type. */
interface Annotation {
	readonly subtype?: string;
	readonly hidden?: boolean;
	readonly password?: boolean;
	readonly fieldType?: string;
	readonly fieldValue?: unknown;
	readonly checkBox?: boolean;
	readonly radioButton?: boolean;
	readonly exportValue?: unknown;
	readonly buttonValue?: unknown;
	readonly rect?: number[];
}

function fieldOf(annotation: Annotation): { text: string; rect: number[] } | undefined {
	const { subtype, rect, fieldType, fieldValue: value } = annotation;
	if (subtype !== 'Widget' || !rect || annotation.hidden || annotation.password) return undefined;
	if (fieldType === 'Btn') {
		const own = annotation.checkBox ? annotation.exportValue : annotation.buttonValue;
		if (own === undefined || own === null) return undefined;
		return { text: own === value ? '[x]' : '[ ]', rect };
	}
	const text = Array.isArray(value) ? value.join(', ') : value;
	return typeof text === 'string' && text.trim() !== '' ? { text, rect } : undefined;
}
