/** Formats that pictures may have, decided by content. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** A picture as a file holds it: its bytes, or the path of the file, which is not read into the caller's memory. */
export type EncodedImage = Uint8Array | { readonly path: string };

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
	/** `cover` fills the box and crops around the middle, `contain` fits inside and pads with transparency, `fill` distorts. */
	readonly mode: 'cover' | 'contain' | 'fill';
}

/** How pixels are stored. */
export interface EncodeOptions {
	readonly format: ImageFormat;
	/** 0 to 100, for JPEG and WebP. */
	readonly quality?: number;
	/** 0 to 9: how hard PNG's zlib tries to be small. */
	readonly effort?: number;
	/** Puts white behind what is transparent. JPEG always does, because it has no alpha. */
	readonly opaque?: boolean;
}

/** How {@link ImageCodec.transcode} rewrites a picture. */
export interface TranscodeOptions extends EncodeOptions {
	/** Absent: the size stays. */
	readonly fit?: FitOptions;
}

/** A file that {@link ImageCodec.transcode} made, and its size in pixels. */
export interface TranscodedImage {
	readonly data: Uint8Array;
	readonly width: number;
	readonly height: number;
}

/** A picture that is laid over another one. */
export interface ImageLayer {
	readonly image: RawImage;
	/** Where its top left corner goes, in pixels of the picture below; it may lie outside, and what sticks out is left out. */
	readonly x: number;
	readonly y: number;
	/** 0 to 1; 1 unless said otherwise. */
	readonly opacity?: number;
}

/**
 * Image operations on pixels, so that plugins and models need no native package of their own.
 *
 * Encoded inputs are untrusted bytes. Implementations decide the format by content and reject, with a client error
 * (`E_IMAGE_UNREADABLE`, `E_IMAGE_TOO_LARGE`), anything that is not PNG, JPEG or WebP, that has more than 50 megapixels or
 * 52,428,800 bytes, that is an animation, or that is damaged. They apply EXIF rotation and drop metadata. Memory stays bounded
 * however many calls come at once; those beyond wait. An aborted signal rejects with its reason.
 */
export interface ImageCodec {
	/**
	 * Reads format and size, and makes sure that the pixels can be decoded. An implementation may leave that out for a picture that it
	 * could only decode with much memory: such a one shows its damage when it is used.
	 */
	probe(image: EncodedImage, signal?: AbortSignal): Promise<ImageInfo>;
	/** Decodes and resizes; pixels are resized only. What it gives belongs to the caller alone. */
	fit(image: EncodedImage | RawImage, options: FitOptions, signal?: AbortSignal): Promise<RawImage>;
	/** Encodes pixels. */
	encode(image: RawImage, options: EncodeOptions, signal?: AbortSignal): Promise<Uint8Array>;
	/** Decodes, resizes where asked, and encodes again, without handing out the pixels between. */
	transcode(
		image: EncodedImage,
		options: TranscodeOptions,
		signal?: AbortSignal,
	): Promise<TranscodedImage>;
	/** Lays pictures over `base`, in their order; the result has the size of `base`, which stays as it is. */
	composite(base: RawImage, layers: readonly ImageLayer[], signal?: AbortSignal): Promise<RawImage>;
}
