import { createRandom } from '../scene/random.ts';
import type { Surface } from './surface.ts';

/** Bright parts are gathered in cells of so many pixels. */
const CELL = 8;

/** What light does to a finished picture. */
export interface Finish {
	/** How much bright parts shine over their surroundings, 0 to 1. */
	readonly bloom: number;
	/** How much the corners darken, 0 to 1. */
	readonly vignette: number;
	/** Grain that hides the steps of smooth colours, in steps of 255. */
	readonly grain: number;
	readonly seed: number;
}

/** Lets bright parts shine, darkens the corners and adds a little grain. For opaque pictures. */
export function finish(surface: Surface, { bloom, vignette, grain, seed }: Finish, check: () => void): void {
	const { width, height, data } = surface;
	const glow = blurred(brightCells(surface, bloom), 3);
	const noise = grainTable(seed, grain);
	const light = new Float32Array(width * 3);
	const spread = spreadTable(width, glow.width);
	const columns = Float32Array.from({ length: width }, (_, x) => ((x + 0.5) / width - 0.5) ** 2 * vignette);
	for (let y = 0, at = 0; y < height; y++) {
		if (y % 64 === 0) check();
		glowRow(glow, y, spread, light);
		const row = ((y + 0.5) / height - 0.5) ** 2 * vignette;
		const start = Math.imul(y, 7919);
		for (let x = 0, i = 0; x < width; x++, at += 4, i += 3) {
			const shade = row + (columns[x] as number);
			const n = noise[(start + x * 3) & 8191] as number;
			data[at] = lit(data[at] as number, light[i] as number, shade) + n;
			data[at + 1] = lit(data[at + 1] as number, light[i + 1] as number, shade) + n;
			data[at + 2] = lit(data[at + 2] as number, light[i + 2] as number, shade) + n;
		}
	}
}

/** Adds light so that white stays white, and takes shade away from what is not bright itself. */
function lit(value: number, light: number, shade: number): number {
	const shone = value + light * (1 - value / 255);
	return shone * (1 - shade * (1.35 - shone / 255));
}

interface Cells {
	readonly width: number;
	readonly height: number;
	readonly data: Float32Array;
}

/** The mean light of each cell above a threshold that the whole picture sets. */
function brightCells({ width, height, data }: Surface, strength: number): Cells {
	const [w, h] = [Math.ceil(width / CELL), Math.ceil(height / CELL)];
	const cells = new Float32Array(w * h * 3);
	let total = 0;
	// Every second pixel of every second row is enough for a blur.
	for (let y = 0; y < height; y += 2) {
		for (let x = 0; x < width; x += 2) {
			const at = (y * width + x) * 4;
			const light = Math.max(data[at] as number, data[at + 1] as number, data[at + 2] as number);
			total += light;
			if (light < 150) continue;
			const share = ((light - 150) / 105) ** 2 * strength;
			const cell = ((y >> 3) * w + (x >> 3)) * 3;
			for (let k = 0; k < 3; k++) cells[cell + k] = (cells[cell + k] as number) + (data[at + k] as number) * share;
		}
	}
	// In a bright picture nothing has to shine; in the dark a lamp does.
	const mean = (total * 4) / (width * height) / 255;
	const norm = (4 / (CELL * CELL)) * (1.15 - mean) ** 2;
	for (let i = 0; i < cells.length; i++) cells[i] = (cells[i] as number) * norm;
	return { width: w, height: h, data: cells };
}

/** Three box blurs come close to a soft one. */
function blurred(cells: Cells, radius: number): Cells {
	let { data } = cells;
	const { width, height } = cells;
	for (let pass = 0; pass < 3; pass++) {
		data = boxBlur(data, width, height, 3, width * 3, radius);
		data = boxBlur(data, height, width, width * 3, 3, radius);
	}
	return { width, height, data };
}

/** Blurs along lines of `length` cells that are `step` numbers apart; the lines are `gap` numbers apart. */
function boxBlur(
	from: Float32Array,
	length: number,
	lines: number,
	step: number,
	gap: number,
	radius: number,
): Float32Array {
	const to = new Float32Array(from.length);
	for (let line = 0; line < lines; line++) {
		for (let k = 0; k < 3; k++) {
			const base = line * gap + k;
			const at = (i: number): number => from[base + Math.min(length - 1, Math.max(0, i)) * step] as number;
			let sum = 0;
			for (let i = -radius; i <= radius; i++) sum += at(i);
			for (let i = 0; i < length; i++) {
				to[base + i * step] = sum / (radius * 2 + 1);
				sum += at(i + radius + 1) - at(i - radius);
			}
		}
	}
	return to;
}

/** For each pixel of a row: the cell to its left, as an index, and how far it is from there to the next one. */
interface Spread {
	readonly left: Int32Array;
	readonly share: Float32Array;
}

function spreadTable(pixels: number, cells: number): Spread {
	const [left, share] = [new Int32Array(pixels), new Float32Array(pixels)];
	for (let x = 0; x < pixels; x++) {
		const u = Math.min(cells - 1, Math.max(0, (x + 0.5) / CELL - 0.5));
		const cell = Math.min(Math.max(0, cells - 2), Math.floor(u));
		left[x] = cell * 3;
		share[x] = u - cell;
	}
	return { left, share };
}

/** Reads one row of pixels between the cells. */
function glowRow({ width, height, data }: Cells, y: number, { left, share }: Spread, to: Float32Array): void {
	const v = Math.min(height - 1, Math.max(0, (y + 0.5) / CELL - 0.5));
	const top = Math.floor(v);
	const low = Math.min(height - 1, top + 1);
	const row = new Float32Array((width + 1) * 3);
	for (let i = 0; i < width * 3; i++) {
		const upper = data[top * width * 3 + i] as number;
		row[i] = upper + ((data[low * width * 3 + i] as number) - upper) * (v - top);
	}
	for (let x = 0, i = 0; x < left.length; x++, i += 3) {
		const p = left[x] as number;
		const f = share[x] as number;
		to[i] = (row[p] as number) * (1 - f) + (row[p + 3] as number) * f;
		to[i + 1] = (row[p + 1] as number) * (1 - f) + (row[p + 4] as number) * f;
		to[i + 2] = (row[p + 2] as number) * (1 - f) + (row[p + 5] as number) * f;
	}
}

function grainTable(seed: number, grain: number): Float32Array {
	const random = createRandom(seed);
	return Float32Array.from({ length: 8192 }, () => (random.next() + random.next() - 1) * grain + 0.5);
}
