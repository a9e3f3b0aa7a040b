import { type Bitmap, type Check, copy, luma } from '../bitmap.ts';
import { blur } from './blur.ts';
import { grayscale } from './color.ts';
import { byte } from './pointwise.ts';

/** Brightness of every pixel, 0 to 255. */
function lightness({ data }: Bitmap): Uint8Array {
	const light = new Uint8Array(data.length >> 2);
	for (let i = 0, k = 0; i < data.length; i += 4, k++) {
		light[k] = luma(data[i] as number, data[i + 1] as number, data[i + 2] as number);
	}
	return light;
}

/** Adds what a blur takes away: `amount` 1 doubles fine contrast. */
export function sharpen(picture: Bitmap, amount: number, sigma: number, check: Check): void {
	const soft = copy(picture);
	blur(soft, sigma, check);
	const { data } = picture;
	const gain = Math.round(amount * 256);
	for (let i = 0; i < data.length; i += 4) {
		if ((i & 0xf_ffff) === 0) check();
		for (let c = i; c < i + 3; c++) {
			const value = data[c] as number;
			data[c] = byte(value + (((value - (soft.data[c] as number)) * gain) >> 8));
		}
	}
}

/** Squares of `side` pixels in the colour of their mean. */
export function pixelate({ width, height, data }: Bitmap, side: number, check: Check): void {
	for (let top = 0; top < height; top += side) {
		check();
		const bottom = Math.min(height, top + side);
		for (let left = 0; left < width; left += side) {
			const right = Math.min(width, left + side);
			paintMean(data, width, left, top, right, bottom);
		}
	}
}

function paintMean(data: Uint8Array, width: number, left: number, top: number, right: number, bottom: number): void {
	let [r, g, b, a] = [0, 0, 0, 0];
	for (let y = top; y < bottom; y++) {
		for (let i = (y * width + left) * 4; i < (y * width + right) * 4; i += 4) {
			const alpha = data[i + 3] as number;
			r += (data[i] as number) * alpha;
			g += (data[i + 1] as number) * alpha;
			b += (data[i + 2] as number) * alpha;
			a += alpha;
		}
	}
	const [part, count] = [Math.max(1, a), (right - left) * (bottom - top)];
	const mean = [r / part + 0.5, g / part + 0.5, b / part + 0.5, a / count + 0.5];
	for (let y = top; y < bottom; y++) {
		for (let i = (y * width + left) * 4; i < (y * width + right) * 4; i += 4) data.set(mean, i);
	}
}

/** How steep the brightness is at every pixel (Sobel), 0 to 255 and cut there. */
function slopes({ width, height, data }: Bitmap, check: Check): Uint8Array {
	const light = lightness({ width, height, data });
	const found = new Uint8Array(light.length);
	for (let y = 0; y < height; y++) {
		if ((y & 127) === 0) check();
		const [up, row, down] = [Math.max(0, y - 1) * width, y * width, Math.min(height - 1, y + 1) * width];
		for (let x = 0; x < width; x++) {
			const [l, r] = [x > 0 ? x - 1 : 0, x + 1 < width ? x + 1 : x];
			const [a, b, c] = [light[up + l] as number, light[up + x] as number, light[up + r] as number];
			const [d, e] = [light[row + l] as number, light[row + r] as number];
			const [f, g, h] = [light[down + l] as number, light[down + x] as number, light[down + r] as number];
			const [dx, dy] = [c + 2 * e + h - a - 2 * d - f, f + 2 * g + h - a - 2 * b - c];
			found[row + x] = Math.min(255, Math.sqrt(dx * dx + dy * dy));
		}
	}
	return found;
}

/** Light lines on black where the brightness changes. */
export function edges(picture: Bitmap, check: Check): void {
	const steep = slopes(picture, check);
	const { data } = picture;
	for (let i = 0, k = 0; k < steep.length; i += 4, k++) {
		const value = steep[k] as number;
		data[i] = value;
		data[i + 1] = value;
		data[i + 2] = value;
	}
}

/** Pencil on paper: brightness divided by its own blur. `colored` keeps the hues. */
export function sketch(picture: Bitmap, width: number, colored: boolean, check: Check): void {
	const grey = copy(picture);
	grayscale(grey);
	const soft = copy(grey);
	blur(soft, width, check, 2);
	const { data } = picture;
	for (let i = 0; i < data.length; i += 4) {
		if ((i & 0xf_ffff) === 0) check();
		const share = Math.min(1, ((grey.data[i] as number) + 1) / ((soft.data[i] as number) + 1));
		const line = share ** 3.2;
		for (let c = i; c < i + 3; c++) {
			const paper = colored ? 110 + (data[c] as number) * 0.57 : 250;
			data[c] = paper * line;
		}
	}
}

/** Light from the top left on a grey plate. */
export function emboss(picture: Bitmap, depth: number, check: Check): void {
	const { width, height, data } = picture;
	const light = lightness(picture);
	for (let y = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		const [up, down] = [Math.max(0, y - 1) * width, Math.min(height - 1, y + 1) * width];
		for (let x = 0; x < width; x++) {
			const [l, r] = [Math.max(0, x - 1), Math.min(width - 1, x + 1)];
			const value = 128 + ((light[down + r] as number) - (light[up + l] as number)) * depth;
			const at = (y * width + x) * 4;
			const grey = byte(Math.round(value));
			data[at] = grey;
			data[at + 1] = grey;
			data[at + 2] = grey;
		}
	}
}

/** Flat colours with dark outlines. */
export function cartoon(picture: Bitmap, levels: number, check: Check): void {
	blur(picture, 1.2, check);
	const steep = slopes(picture, check);
	const { data } = picture;
	const step = 255 / levels;
	for (let i = 0, k = 0; k < steep.length; i += 4, k++) {
		if ((i & 0xf_ffff) === 0) check();
		const [r, g, b] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
		const light = Math.max(1, luma(r, g, b));
		const flat = ((Math.min(levels - 1, Math.floor(light / step)) + 0.6) * step) / light;
		const ink = Math.min(1, Math.max(0, ((steep[k] as number) - 70) / 70));
		const gain = flat * (1 - ink);
		data[i] = Math.min(255, r * gain);
		data[i + 1] = Math.min(255, g * gain);
		data[i + 2] = Math.min(255, b * gain);
	}
}

/** Makes light parts glow into their neighbourhood. */
export function glow(picture: Bitmap, amount: number, sigma: number, check: Check): void {
	const light = copy(picture);
	for (let i = 0; i < light.data.length; i += 4) {
		if ((i & 0xf_ffff) === 0) check();
		for (let c = i; c < i + 3; c++) light.data[c] = ((light.data[c] as number) ** 2 / 255) | 0;
	}
	blur(light, sigma, check, 2);
	const { data } = picture;
	for (let i = 0; i < data.length; i += 4) {
		if ((i & 0xf_ffff) === 0) check();
		for (let c = i; c < i + 3; c++) {
			const [value, shine] = [data[c] as number, (light.data[c] as number) * amount];
			data[c] = 255 - ((255 - value) * (255 - shine)) / 255;
		}
	}
}
