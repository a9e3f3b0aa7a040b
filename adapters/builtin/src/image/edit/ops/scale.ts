import { type Bitmap, blank, copy } from '../bitmap.ts';

/** Half as large, each pixel the mean of four; an odd last row or column counts twice. */
export function halve({ width, height, data }: Bitmap): Bitmap {
	const small = blank((width + 1) >> 1, (height + 1) >> 1);
	const out = small.data;
	let at = 0;
	for (let y = 0; y < height; y += 2) {
		const down = y + 1 < height ? width * 4 : 0;
		for (let x = 0; x < width; x += 2) {
			const i = (y * width + x) * 4;
			const right = x + 1 < width ? 4 : 0;
			for (let c = i; c < i + 4; c++) {
				out[at++] =
					((data[c] as number) +
						(data[c + right] as number) +
						(data[c + down] as number) +
						(data[c + right + down] as number) +
						2) >>
					2;
			}
		}
	}
	return small;
}

/** Fills `to` with `from`, bilinear: first down, a row at a time, then across. */
export function enlarge(from: Bitmap, to: Bitmap): void {
	const { width, height, data } = to;
	const source = from.data;
	const stride = from.width * 4;
	const columns = axis(width, from.width / width, from.width, 4);
	const rows = axis(height, from.height / height, from.height, stride);
	const { near, far, part } = columns;
	const row = new Int32Array(stride);
	let at = 0;
	for (let y = 0; y < height; y++) {
		const top = rows.near[y] as number;
		const bottom = rows.far[y] as number;
		const down = rows.part[y] as number;
		for (let i = 0; i < stride; i++) {
			const a = source[top + i] as number;
			row[i] = (a << 8) + ((source[bottom + i] as number) - a) * down;
		}
		for (let x = 0; x < width; x++) {
			const l = near[x] as number;
			const r = far[x] as number;
			const share = part[x] as number;
			const rest = 256 - share;
			data[at] = ((row[l] as number) * rest + (row[r] as number) * share + 32_768) >> 16;
			data[at + 1] =
				((row[l + 1] as number) * rest + (row[r + 1] as number) * share + 32_768) >> 16;
			data[at + 2] =
				((row[l + 2] as number) * rest + (row[r + 2] as number) * share + 32_768) >> 16;
			data[at + 3] =
				((row[l + 3] as number) * rest + (row[r + 3] as number) * share + 32_768) >> 16;
			at += 4;
		}
	}
}

/** For each target pixel the two neighbours in the source and the share of the second, in 1/256. */
function axis(length: number, step: number, source: number, stride: number) {
	const [near, far, part] = [
		new Int32Array(length),
		new Int32Array(length),
		new Int32Array(length),
	];
	for (let i = 0; i < length; i++) {
		const at = Math.min(source - 1, Math.max(0, (i + 0.5) * step - 0.5));
		near[i] = Math.floor(at) * stride;
		far[i] = Math.min(source - 1, Math.floor(at) + 1) * stride;
		part[i] = Math.floor((at % 1) * 256);
	}
	return { near, far, part };
}

/** Another size. Straight alpha is mixed as it is: callers premultiply where colours behind transparency differ. */
export function resize(picture: Bitmap, width: number, height: number): Bitmap {
	if (picture.width === width && picture.height === height) return copy(picture);
	let source = picture;
	while (source.width >= width * 2 && source.height >= height * 2) source = halve(source);
	const made = blank(width, height);
	enlarge(source, made);
	return made;
}
