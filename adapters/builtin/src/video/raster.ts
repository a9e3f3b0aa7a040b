import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import type { Font } from './font.ts';
import type { Pixels } from './layer.ts';

/** Turns SVG into premultiplied pixels. */
export type Rasterizer = (svg: string) => Pixels;

let ready: Promise<void> | undefined;

/** Loads resvg once per thread. Text is drawn in `font` and in nothing else. */
export async function createRasterizer(font: Font): Promise<Rasterizer> {
	// A second `initWasm` in one thread throws, hence the promise that all callers share.
	ready ??= readFile(
		createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm'),
	).then((wasm) => initWasm(wasm));
	await ready;
	return (svg) => {
		const fonts = { fontBuffers: [font.file], defaultFontFamily: font.family };
		const drawing = new Resvg(svg, svg.includes('<text') ? { font: fonts } : {});
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

/** Makes text safe inside XML. Control characters have to be gone already. */
export function escapeXml(text: string): string {
	return text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;')
		.replaceAll("'", '&apos;');
}
