/** Formats that image inputs may have, decided by content. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** What {@link ImageCodec.probe} reads from the header, after EXIF rotation. Sizes are in pixels. */
export interface ImageInfo {
	readonly format: ImageFormat;
	readonly width: number;
	readonly height: number;
	readonly hasAlpha: boolean;
}

/** Uncompressed pixels: 8-bit RGBA, not premultiplied, row by row, no padding; `data.length === width * height * 4`. */
export interface RawImage {
	readonly width: number;
	readonly height: number;
	readonly data: Uint8Array;
}

/** How a picture is brought to another size. */
export interface FitOptions {
	readonly width: number;
	readonly height: number;
	/** `cover` fills the box and crops, `contain` fits inside and pads with transparency, `fill` distorts. */
	readonly mode: 'cover' | 'contain' | 'fill';
}

/** How pixels are stored. `quality` 0-100 applies to JPEG and WebP; `effort` 0-9 is PNG's zlib level. */
export interface EncodeOptions {
	readonly format: ImageFormat;
	readonly quality?: number;
	readonly effort?: number;
}

/**
 * Image operations on pixels, so that plugins and models need no native package of their own.
 *
 * Inputs are untrusted bytes. Implementations decide the format by content and reject, with a
 * client error (`E_IMAGE_UNREADABLE`, `E_IMAGE_TOO_LARGE`), anything that is not PNG, JPEG or WebP, that has more than 50
 * megapixels or 52,428,800 bytes, or that is damaged. They apply EXIF rotation and drop metadata.
 */
export interface ImageCodec {
	/**
	 * Reads format and size, and makes sure that the pixels can be decoded. An implementation may leave that out for a picture that it
	 * could only decode with much memory: such a one shows its damage when it is used.
	 */
	probe(image: Uint8Array, signal?: AbortSignal): Promise<ImageInfo>;
	/** The same for a file, which is not read into memory. Absent: the caller reads the file and uses `probe`. */
	probeFile?(path: string, signal?: AbortSignal): Promise<ImageInfo>;
	/** Decodes and resizes. */
	fit(image: Uint8Array, options: FitOptions, signal?: AbortSignal): Promise<RawImage>;
	/** Encodes pixels. */
	encode(image: RawImage, options: EncodeOptions, signal?: AbortSignal): Promise<Uint8Array>;
}
