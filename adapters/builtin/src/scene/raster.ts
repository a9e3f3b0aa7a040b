import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import type { Font } from './font.ts';

/** Premultiplied RGBA pixels. */
export interface Pixels {
	readonly width: number;
	readonly height: number;
	readonly data: Uint8Array | Uint8ClampedArray;
}

/** SVG elements and the size in pixels of the picture that they make. */
export interface Drawing {
	readonly width: number;
	readonly height: number;
	readonly body: string;
}

/** Turns SVG into premultiplied pixels. */
export type Rasterizer = (svg: string) => Pixels;

let ready: Promise<void> | undefined;

/** Loads resvg once per thread. Text is drawn in these fonts and in nothing else: in a later one where the first lacks a character. */
export async function createRasterizer(...fonts: readonly Font[]): Promise<Rasterizer> {
	// A second `initWasm` in one thread throws, hence the promise that all callers share.
	ready ??= readFile(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')).then((wasm) =>
		initWasm(wasm),
	);
	await ready;
	const font = {
		fontBuffers: fonts.map(({ file }) => file),
		...(fonts[0] && { defaultFontFamily: fonts[0].family }),
	};
	return (svg) => {
		const drawing = new Resvg(svg, svg.includes('<text') ? { font } : {});
		const image = drawing.render();
		try {
			return { width: image.width, height: image.height, data: image.pixels };
		} finally {
			image.free();
			drawing.free();
		}
	};
}

/** Wraps SVG elements in a document of a size in pixels. */
export function svgDocument(width: number, height: number, body: string): string {
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`;
}

/** The document of a drawing, or of its left part of a width in pixels. */
export function svgOf({ width, height, body }: Drawing, part = width): string {
	return svgDocument(Math.min(part, width), height, body);
}

/** Makes text safe inside XML. Control characters have to be gone already. */
export function escapeXml(text: string): string {
	return text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;')
		.replaceAll("'", '&apos;');
}
