import type { Check } from '../bitmap.ts';

/** Numbers, one a pixel. */
type Plane = Uint8Array | Float32Array;

/** The mean of `2 * radius + 1` neighbours in each row; the border repeats. */
export function boxPlaneRows(from: Plane, to: Plane, width: number, radius: number, check: Check): void {
	const part = 1 / (radius * 2 + 1);
	const round = to instanceof Uint8Array ? 0.5 : 0;
	for (let base = 0, y = 0; base < from.length; base += width, y++) {
		if ((y & 63) === 0) check();
		let sum = 0;
		for (let k = -radius; k <= radius; k++) sum += from[base + clip(k, width)] as number;
		for (let x = 0; x < width; x++) {
			to[base + x] = sum * part + round;
			sum += (from[base + clip(x + radius + 1, width)] as number) - (from[base + clip(x - radius, width)] as number);
		}
	}
}

/** The same in each column. All columns go down together, so that memory is read in order. */
export function boxPlaneColumns(from: Plane, to: Plane, width: number, radius: number, check: Check): void {
	const height = from.length / width;
	const part = 1 / (radius * 2 + 1);
	const round = to instanceof Uint8Array ? 0.5 : 0;
	const sums = new Float64Array(width);
	for (let k = -radius; k <= radius; k++) {
		const base = clip(k, height) * width;
		for (let x = 0; x < width; x++) sums[x] = (sums[x] as number) + (from[base + x] as number);
	}
	for (let y = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		const [next, old] = [clip(y + radius + 1, height) * width, clip(y - radius, height) * width];
		for (let x = 0; x < width; x++) {
			const sum = sums[x] as number;
			to[y * width + x] = sum * part + round;
			sums[x] = sum + (from[next + x] as number) - (from[old + x] as number);
		}
	}
}

function clip(at: number, length: number): number {
	return at < 0 ? 0 : at >= length ? length - 1 : at;
}
