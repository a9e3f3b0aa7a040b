import { createRandom } from './random.ts';

/** A picture of one number per pixel. */
export interface Field {
	readonly width: number;
	readonly height: number;
	readonly data: Float32Array;
}

/**
 * Cloud-like noise, 0 to 1, that repeats seamlessly from right to left.
 * `cellsX` and `cellsY` are the lattice cells of the coarsest of the `octaves`.
 */
export function fractalNoise(
	size: { width: number; height: number },
	cells: { x: number; y: number },
	octaves: number,
	seed: number,
): Field {
	const { width, height } = size;
	const data = new Float32Array(width * height);
	let [cellsX, cellsY, weight, total] = [cells.x, cells.y, 0.5, 0];
	for (let octave = 0; octave < octaves; octave++) {
		addOctave(data, width, height, cellsX, cellsY, weight, seed + octave * 7919);
		total += weight;
		cellsX *= 2;
		cellsY *= 2;
		weight *= 0.52;
	}
	for (let i = 0; i < data.length; i++) {
		data[i] = (data[i] as number) / total;
	}
	return { width, height, data };
}

/** Reads between the pixels of a field; `x` wraps around, `y` stops at the borders. */
export function sampleField(field: Field, x: number, y: number): number {
	const { width, height, data } = field;
	const fx = x - Math.floor(x);
	const x0 = ((Math.floor(x) % width) + width) % width;
	const x1 = x0 + 1 === width ? 0 : x0 + 1;
	const cy = Math.min(height - 1, Math.max(0, y));
	const y0 = Math.floor(cy);
	const fy = cy - y0;
	const [top, low] = [y0 * width, Math.min(height - 1, y0 + 1) * width];
	const a = (data[top + x0] as number) * (1 - fx) + (data[top + x1] as number) * fx;
	const b = (data[low + x0] as number) * (1 - fx) + (data[low + x1] as number) * fx;
	return a * (1 - fy) + b * fy;
}

function addOctave(
	data: Float32Array,
	width: number,
	height: number,
	cellsX: number,
	cellsY: number,
	weight: number,
	seed: number,
): void {
	const random = createRandom(seed);
	const lattice = Float32Array.from({ length: cellsX * (cellsY + 2) }, () => random.next());
	for (let y = 0; y < height; y++) {
		const v = (y / height) * cellsY;
		const row = Math.floor(v);
		const ty = smooth(v - row);
		for (let x = 0; x < width; x++) {
			const u = (x / width) * cellsX;
			const column = Math.floor(u);
			const next = column + 1 === cellsX ? 0 : column + 1;
			const tx = smooth(u - column);
			const [p, q] = [row * cellsX, (row + 1) * cellsX];
			const a = (lattice[p + column] as number) * (1 - tx) + (lattice[p + next] as number) * tx;
			const b = (lattice[q + column] as number) * (1 - tx) + (lattice[q + next] as number) * tx;
			const at = y * width + x;
			data[at] = (data[at] as number) + weight * (a * (1 - ty) + b * ty);
		}
	}
}

function smooth(t: number): number {
	return t * t * (3 - 2 * t);
}
