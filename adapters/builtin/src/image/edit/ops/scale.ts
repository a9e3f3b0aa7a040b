import { type Bitmap, blank, type Check, copy, type Size, signedWords, unchecked } from '../bitmap.ts';

/** Two channels of a pixel in one number, each with eight bits of room above it, so that both are reckoned with at once. */
const PAIR = 0xff_00ff;

/** Half as large, each pixel the mean of four; an odd last row or column counts twice. */
export function halve(picture: Bitmap, check: Check = unchecked): Bitmap {
	const { width, height } = picture;
	const small = blank((width + 1) >> 1, (height + 1) >> 1);
	const [from, to] = [signedWords(picture), signedWords(small)];
	let at = 0;
	for (let y = 0; y < height; y += 2) {
		if ((y & 63) === 0) check();
		const top = y * width;
		const down = y + 1 < height ? width : 0;
		for (let x = 0; x < width; x += 2) {
			const i = top + x;
			const right = x + 1 < width ? 1 : 0;
			const a = from[i] as number;
			const b = from[i + right] as number;
			const c = from[i + down] as number;
			const d = from[i + right + down] as number;
			const low = (a & PAIR) + (b & PAIR) + (c & PAIR) + (d & PAIR) + 0x2_0002;
			const high = ((a >>> 8) & PAIR) + ((b >>> 8) & PAIR) + ((c >>> 8) & PAIR) + ((d >>> 8) & PAIR) + 0x2_0002;
			to[at++] = ((low >>> 2) & PAIR) | (((high >>> 2) & PAIR) << 8);
		}
	}
	return small;
}

/** Fills `to` with `from`, bilinear. */
export function enlarge(from: Bitmap, to: Bitmap, check: Check = unchecked): void {
	spread(from, to, { width: from.width / to.width, height: from.height / to.height }, check);
}

/**
 * Fills `to` with what {@link halve} made of a picture of its size, bilinear. Two pixels for one, also where a side is odd: nothing
 * moves.
 */
export function double(from: Bitmap, to: Bitmap, check: Check = unchecked): void {
	const { width, height } = to;
	const [source, out] = [signedWords(from), signedWords(to)];
	const row = new Int32Array(from.width);
	for (let y = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		const top = (y >> 1) * from.width;
		const next = Math.min(from.height - 1, Math.max(0, (y >> 1) + (y & 1 ? 1 : -1))) * from.width;
		for (let x = 0; x < row.length; x++) {
			row[x] = nearer(source[top + x] as number, source[next + x] as number);
		}
		doubleRow(row, out, y * width, width);
	}
}

function doubleRow(row: Int32Array, out: Int32Array, start: number, width: number): void {
	const last = row.length - 1;
	let before = row[0] as number;
	let here = before;
	for (let x = 0; x <= last; x++) {
		const after = x < last ? (row[x + 1] as number) : here;
		const at = start + x * 2;
		out[at] = nearer(here, before);
		if (x * 2 + 1 < width) out[at + 1] = nearer(here, after);
		before = here;
		here = after;
	}
}

/** A pixel between two, three times as near to the first. */
function nearer(a: number, b: number): number {
	const low = (a & PAIR) * 3 + (b & PAIR) + 0x2_0002;
	const high = ((a >>> 8) & PAIR) * 3 + ((b >>> 8) & PAIR) + 0x2_0002;
	return ((low >>> 2) & PAIR) | (((high >>> 2) & PAIR) << 8);
}

/** Bilinear, in steps of parts of a pixel: first down, a row at a time, then across. */
function spread(from: Bitmap, to: Bitmap, step: Size, check: Check): void {
	const { width, height } = to;
	const [source, out] = [signedWords(from), signedWords(to)];
	const { near, far, part } = axis(width, step.width, from.width, 1);
	const rows = axis(height, step.height, from.height, from.width);
	const row = new Int32Array(from.width);
	let at = 0;
	for (let y = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		const [top, bottom] = [rows.near[y] as number, rows.far[y] as number];
		const down = rows.part[y] as number;
		for (let x = 0; x < row.length; x++) {
			row[x] = between(source[top + x] as number, source[bottom + x] as number, down);
		}
		for (let x = 0; x < width; x++) {
			const left = row[near[x] as number] as number;
			const right = row[far[x] as number] as number;
			out[at++] = between(left, right, part[x] as number);
		}
	}
}

/** A pixel between two others, `share` of 256 on the way to the second. */
function between(a: number, b: number, share: number): number {
	const rest = 256 - share;
	const low = Math.imul(a & PAIR, rest) + Math.imul(b & PAIR, share) + 0x80_0080;
	const high = Math.imul((a >>> 8) & PAIR, rest) + Math.imul((b >>> 8) & PAIR, share) + 0x80_0080;
	return ((low >>> 8) & PAIR) | (high & 0xff00_ff00);
}

/** For each target pixel the two neighbours in the source and the share of the second, in 1/256. */
function axis(length: number, step: number, source: number, stride: number) {
	const [near, far, part] = [new Int32Array(length), new Int32Array(length), new Int32Array(length)];
	for (let i = 0; i < length; i++) {
		const at = Math.min(source - 1, Math.max(0, (i + 0.5) * step - 0.5));
		near[i] = Math.floor(at) * stride;
		far[i] = Math.min(source - 1, Math.floor(at) + 1) * stride;
		part[i] = Math.floor((at % 1) * 256);
	}
	return { near, far, part };
}

/** Another size. Straight alpha is mixed as it is: callers premultiply where colours behind transparency differ. */
export function resize(picture: Bitmap, width: number, height: number, check: Check = unchecked): Bitmap {
	if (picture.width === width && picture.height === height) return copy(picture);
	let source = picture;
	while (source.width >= width * 2 && source.height >= height * 2) source = halve(source, check);
	const made = blank(width, height);
	enlarge(source, made, check);
	return made;
}
