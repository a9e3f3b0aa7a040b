/** Straight RGBA pixels that an operation may change in place. */
export interface Bitmap {
	readonly width: number;
	readonly height: number;
	/** `width * height * 4` bytes. */
	readonly data: Uint8Array;
}

/** Throws when the work is to stop: called between the rows of what takes long. */
export type Check = () => void;

/** For work that is never stopped. */
export const unchecked: Check = () => {};

/** A length of two sides in pixels. */
export interface Size {
	readonly width: number;
	readonly height: number;
}

/** No operation makes a picture larger than this: 8.3 megapixels, as 3840x2160. */
export const MAX_PIXELS = 8_294_400;

/** The longest side that an operation makes. */
export const MAX_SIDE = 3840;

/** An empty (transparent black) picture. */
export function blank(width: number, height: number): Bitmap {
	return { width, height, data: new Uint8Array(width * height * 4) };
}

/** A copy that can be changed. */
export function copy({ width, height, data }: Bitmap): Bitmap {
	return { width, height, data: new Uint8Array(data) };
}

/** A picture of one colour; `color` is red, green, blue and optionally alpha. */
export function solid(width: number, height: number, color: readonly number[]): Bitmap {
	const [r = 0, g = 0, b = 0, a = 255] = color;
	const picture = blank(width, height);
	const word = new Uint8Array([r, g, b, a]);
	new Uint32Array(picture.data.buffer).fill(new Uint32Array(word.buffer)[0] as number);
	return picture;
}

/** One number a pixel, for moves of whole pixels. */
export function words({ data }: Bitmap): Uint32Array {
	return new Uint32Array(data.buffer, data.byteOffset, data.byteLength >> 2);
}

/** The same as signed numbers, which stay whole numbers in the engine: for reckoning with them. */
export function signedWords({ data }: Bitmap): Int32Array {
	return new Int32Array(data.buffer, data.byteOffset, data.byteLength >> 2);
}

/** Whether every pixel is fully opaque. */
export function isOpaque({ data }: Bitmap): boolean {
	for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return false;
	return true;
}

/** A number that differs (nearly always) where a pixel differs, or the shape. Pixels that `keep` protects with 255 do not count. */
export function fingerprint(picture: Bitmap, keep?: Uint8Array): number {
	const all = signedWords(picture);
	let print = picture.width * 31 + picture.height;
	if (keep?.length === all.length) {
		for (let k = 0; k < all.length; k++) {
			// All bits, or none where it is protected: a jump here would take twice the time.
			const counts = ((keep[k] as number) - 255) >> 31;
			print = Math.imul(print ^ ((all[k] as number) & counts), PRIME);
		}
		return print;
	}
	for (let k = 0; k < all.length; k++) print = Math.imul(print ^ (all[k] as number), PRIME);
	return print;
}

/** Of the FNV-1a hash, here a pixel at a time. */
const PRIME = 0x0100_0193;

/** Brightness of a pixel, 0 to 255 (BT.601 weights). */
export function luma(r: number, g: number, b: number): number {
	return (r * 77 + g * 150 + b * 29) >> 8;
}

/** A size that may have been cut to its bounds. */
export interface BoundedSize extends Size {
	readonly limited?: true;
}

/** Whole pixels, at least one a side, at most {@link MAX_SIDE} and {@link MAX_PIXELS}; the ratio stays. */
export function clampSize({ width, height }: Size, side = MAX_SIDE, pixels = MAX_PIXELS): BoundedSize {
	const scale = Math.min(1, side / width, side / height, Math.sqrt(pixels / (width * height)));
	const whole = (length: number): number => Math.max(1, scale < 1 ? Math.floor(length * scale) : Math.round(length));
	return { width: whole(width), height: whole(height), ...(scale < 1 && { limited: true }) };
}
