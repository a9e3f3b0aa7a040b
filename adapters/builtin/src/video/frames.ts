import { brightnessAt, type CameraPath, viewAt } from './camera.ts';
import { drawLayer, type Layer, type Place } from './layer.ts';

/** The input for the frames of a video. */
export interface Film {
	readonly width: number;
	readonly height: number;
	readonly frames: number;
	readonly path: CameraPath;
	/** Back to front. The first one is opaque. */
	readonly layers: readonly Layer[];
}

/** Paints a frame in RGBA. It depends only on the film and the index. */
export function paintFrame(film: Film, index: number, to: Int32Array): void {
	const { width, height, layers } = film;
	const places = layers.map((layer) => placeOf(film, layer, index));
	for (const [i, layer] of layers.entries()) {
		const place = places[i] as Place;
		// Nearer layers hide the rest.
		const hidden = layers.slice(i + 1).map((next, k) => {
			const { top, scale } = places[i + 1 + k] as Place;
			return next.isEndless ? height : Math.ceil((next.solidFrom - top) / scale) + 2;
		});
		const bottom = Math.min(height, ...hidden);
		if (layer.isEndless) drawEndless(film, layer, place, to);
		else drawLayer(to, width, bottom, layer, place, swayOf(film, layer, index));
	}
}

function placeOf({ width, height, frames, path }: Film, layer: Layer, index: number): Place {
	const { depth, drift = { x: 0, y: 0 } } = layer;
	const { x, y, zoom } = viewAt(path, frames > 1 ? index / (frames - 1) : 0);
	const scale = Math.min(layer.width / width, layer.height / height) / (1 + (zoom - 1) * depth);
	const [freeX, freeY] = [(layer.width - width * scale) / 2, (layer.height - height * scale) / 2];
	const time = index - frames / 2;
	return { left: freeX * (1 + x * depth) - drift.x * time, top: freeY * (1 + y * depth) - drift.y * time, scale };
}

/** Draws the four copies of a layer that meet in the frame. */
function drawEndless({ width, height }: Film, layer: Layer, { left, top }: Place, to: Int32Array): void {
	const wrap = (value: number, size: number): number => Math.round(((value % size) + size) % size) % size;
	const [x, y] = [wrap(left, width), wrap(top, height)];
	for (const dx of [x, x - width]) {
		for (const dy of [y, y - height]) drawLayer(to, width, height, layer, { left: dx, top: dy, scale: 1 });
	}
}

/** The waves: each row of water moves left and right. Nearer rows move more. */
function swayOf({ height }: Film, { waterline, height: rows }: Layer, index: number): (row: number) => number {
	if (waterline === undefined) return () => 0;
	return (row) => {
		const near = (row / rows - waterline) / (1 - waterline);
		if (near <= 0) return 0;
		const wave = Math.sin(70 * Math.log(near + 0.12) - index * 0.16) + 0.5 * Math.sin(113 * near ** 0.6 + index * 0.11);
		return wave * (0.15 + near) * height * 0.0045;
	};
}

/** Converts a frame to the planes Y, U and V (BT.709, limited range), darkened by its fade. */
export function convertFrame(film: Film, index: number, pixels: Int32Array, to: Uint8Array): void {
	const { width, height } = film;
	const light = Math.round(brightnessAt(film.path, index, film.frames) * 256);
	const [planeU, planeV] = [width * height, (width * height * 5) / 4];
	for (let row = 0, at = 0; row < height; row += 2) {
		for (let column = 0; column < width; column += 2, at++) {
			let [red, green, blue] = [0, 0, 0];
			for (let k = 0; k < 4; k++) {
				const place = (row + (k >> 1)) * width + column + (k & 1);
				const pixel = pixels[place] as number;
				const r = ((pixel & 255) * light) >> 8;
				const g = (((pixel >> 8) & 255) * light) >> 8;
				const b = (((pixel >> 16) & 255) * light) >> 8;
				to[place] = (1_081_344 + 11_967 * r + 40_252 * g + 4063 * b) >> 16;
				red += r;
				green += g;
				blue += b;
			}
			to[planeU + at] = (33_685_504 - 6593 * red - 22_191 * green + 28_784 * blue) >> 18;
			to[planeV + at] = (33_685_504 + 28_784 * red - 26_143 * green - 2641 * blue) >> 18;
		}
	}
}
