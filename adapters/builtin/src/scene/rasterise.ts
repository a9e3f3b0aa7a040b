import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { RawImage } from '@plinth/toolkit';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { typeface } from './caption.ts';

const read = (file: string) => readFile(createRequire(import.meta.url).resolve(file));
let engine: Promise<readonly [unknown, Uint8Array]> | undefined;

/** Draws an SVG document at the document's size. The pixels are premultiplied. */
export async function rasterise(svg: string): Promise<RawImage> {
	// A second `initWasm` in one thread throws.
	engine ??= Promise.all([
		read('@resvg/resvg-wasm/index_bg.wasm').then((wasm) => initWasm(wasm)),
		read('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf'),
	]);
	const [, file] = await engine;
	const font = { fontBuffers: [file], defaultFontFamily: typeface };
	const drawing = new Resvg(svg, svg.includes('<text') ? { font } : {});
	const image = drawing.render();
	const { width, height, pixels: data } = image;
	image.free();
	drawing.free();
	return { width, height, data };
}
