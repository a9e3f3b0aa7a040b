/** Supported image formats, detected from the content. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** An encoded picture: its bytes, or the path of a file, which is not read into the caller's memory. */
export type EncodedImage = Uint8Array | { readonly path: string };

/** The result of {@link ImageCodec.probe}, after EXIF rotation. Sizes are in pixels. */
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

/** How a picture is resized. */
export interface FitOptions {
	readonly width: number;
	readonly height: number;
	/**
	 * `cover` fills the box and crops at the centre, `contain` fits inside and pads with transparency, `fill` distorts.
	 */
	readonly mode: 'cover' | 'contain' | 'fill';
}

/** How pixels are encoded. */
export interface EncodeOptions {
	readonly format: ImageFormat;
	/** 0 to 100, for JPEG and WebP. */
	readonly quality?: number;
	/** The zlib level of PNG, 0 to 9. */
	readonly effort?: number;
	/** Flattens transparency onto white. JPEG always does, because it has no alpha. */
	readonly opaque?: boolean;
}

/** How {@link ImageCodec.transcode} rewrites a picture. */
export interface TranscodeOptions extends EncodeOptions {
	/** Absent: the size is kept. */
	readonly fit?: FitOptions;
}

/** A file that {@link ImageCodec.transcode} made, and its size in pixels. */
export interface TranscodedImage {
	readonly data: Uint8Array;
	readonly width: number;
	readonly height: number;
}

/** A picture to draw over another one. */
export interface ImageLayer {
	readonly image: RawImage;
	/** Position of the top left corner, in pixels of the base picture. Parts outside of it are cropped. */
	readonly x: number;
	readonly y: number;
	/** 0 to 1; 1 by default. */
	readonly opacity?: number;
}

/**
 * Image operations, so that plugins and models need no native package.
 *
 * Encoded inputs are untrusted bytes. Implementations detect the format from the content. They reject with
 * a client error (`E_IMAGE_UNREADABLE`, `E_IMAGE_TOO_LARGE`) anything that is not PNG, JPEG or WebP, that
 * has more than 50 megapixels or 52,428,800 bytes, that is an animation, or that is damaged. They apply
 * EXIF rotation and drop metadata. Memory stays bounded for any number of calls; calls above the
 * concurrency limit wait. An aborted signal rejects with its reason.
 */
export interface ImageCodec {
	/**
	 * Reads format and size, and checks that the pixels can be decoded. An implementation may skip this check
	 * for a picture that needs much memory; its damage then shows when it is used.
	 */
	probe(image: EncodedImage, signal?: AbortSignal): Promise<ImageInfo>;
	/** Decodes and resizes; raw pixels are only resized. The caller owns the result. */
	fit(image: EncodedImage | RawImage, options: FitOptions, signal?: AbortSignal): Promise<RawImage>;
	/** Encodes pixels. */
	encode(image: RawImage, options: EncodeOptions, signal?: AbortSignal): Promise<Uint8Array>;
	/** Decodes, optionally resizes, and encodes, without handing out the pixels. */
	transcode(image: EncodedImage, options: TranscodeOptions, signal?: AbortSignal): Promise<TranscodedImage>;
	/** Draws layers over `base`, in order. The result has the size of `base`, which is not changed. */
	composite(base: RawImage, layers: readonly ImageLayer[], signal?: AbortSignal): Promise<RawImage>;
}
