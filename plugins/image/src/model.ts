import { defineModelKind, type ForwardRequest, type Logger, type RawBody, type Unloadable } from '@plinth/core';
import type { EncodedImage, RawImage } from '@plinth/toolkit';

/** Width and height in pixels. */
export interface ImageSize {
	readonly width: number;
	readonly height: number;
}

/** A request for pictures, independent of the wire format. */
export interface ImageRequest {
	/** 1 to 32,000 Unicode code points. */
	readonly prompt: string;
	/** The number of pictures of this call, 1 to `abilities.count`. */
	readonly count: number;
	/** In pixels; absent: the model decides. */
	readonly size?: ImageSize;
	/** `auto`: the model decides. */
	readonly quality: 'low' | 'medium' | 'high' | 'auto';
	/** Whether the background is transparent; `auto`: the model decides. */
	readonly background: 'transparent' | 'opaque' | 'auto';
	/** The format of the response. A model may return any format: the plugin converts it. */
	readonly format: 'png' | 'jpeg' | 'webp';
	/** 0 to 100: the quality of JPEG and WebP. For PNG, 100 means the least effort to make the file small. */
	readonly compression: number;
	/** The strictness of the model's own filter. */
	readonly moderation: 'auto' | 'low';
	/** Inference steps, 1 to 50; absent: the model decides. */
	readonly steps?: number;
	/** A hint of older clients. */
	readonly style?: 'vivid' | 'natural';
	/** The client's identifier of its user. */
	readonly user?: string;
}

/** An input picture. The plugin has checked its media type, and that it can be decoded. */
export interface ImageInput {
	/** Detected from the content. */
	readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
	/** Length in bytes, at most 52,428,800. */
	readonly size: number;
	/** In pixels, after EXIF rotation. */
	readonly width: number;
	readonly height: number;
	readonly hasAlpha: boolean;
	/** Lower-case hex SHA-256 of the bytes. */
	readonly sha256: string;
	/**
	 * The input for `ImageCodec`. Large pictures are files, and need not be read into memory. Deleted at the end of the
	 * request.
	 */
	readonly source: EncodedImage;
	/** Reads the whole file. */
	bytes(): Promise<Uint8Array>;
}

/** A request to change pictures. */
export interface ImageEditRequest extends ImageRequest {
	/** 1 to 16, in the client's order; the first one is changed. */
	readonly images: readonly ImageInput[];
	/** Has the size of the first picture. Pixels with alpha 0 may change; pixels with alpha 255 stay. */
	readonly mask?: ImageInput;
	/** How closely the result follows the inputs. */
	readonly fidelity: 'low' | 'high';
}

/** A picture that a model made: pixels, or a file whose media type matches its bytes. */
export type Picture =
	| RawImage
	| {
			readonly body: Uint8Array;
			readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
			/** Whether the plugin removes texts, Exif and XMP, in place. Some engines write the prompt there. */
			readonly dropMetadata?: boolean;
	  };

/** A finished picture. The model must not reuse its memory. */
export type MadeImage = Picture & {
	/** The prompt as the model understood it. */
	readonly revisedPrompt?: string;
};

/** Token counts. The plugin estimates them when the model reports none. */
export interface ImageUsage {
	readonly inputTextTokens: number;
	readonly inputImageTokens: number;
	readonly outputTokens: number;
}

/** The result of one call. */
export interface ImageResult {
	/** `request.count` pictures, less those that `filtered` counts. */
	readonly images: readonly MadeImage[];
	/** How many pictures the filter of the model withheld. */
	readonly filtered?: number;
	/** The quality that the model chose for `auto`. */
	readonly quality?: 'low' | 'medium' | 'high';
	/** Options that the model ignored, one sentence each. */
	readonly warnings?: readonly string[];
	readonly usage?: ImageUsage;
}

/** The context of one call. */
export interface ImageRun {
	/**
	 * Aborts when the client disconnects, another picture of the same request fails, the model's timeout or the deadline
	 * passes, or the server stops. Pass it to everything that waits.
	 */
	readonly signal: AbortSignal;
	/** A 32-bit unsigned seed, equal for equal requests. The pictures of one request have successive seeds. */
	readonly seed: number;
	/** The maximum number of partial images per picture, 0 to 3. */
	readonly partials: number;
	/**
	 * Sends a partial image. The model may reuse its memory after the call. `image` counts the pictures of this call from
	 * 0. The plugin drops images above `partials`, invalid ones, and those that are not encoded before the finished
	 * picture.
	 */
	partial(picture: Picture, image?: number): void;
	readonly log: Logger;
}

/** The abilities of a model. For a missing ability, the plugin does the work or refuses the request. */
export interface ImageAbilities {
	/** Maximum pictures of one call; 1 by default. For more, the plugin makes several calls. */
	readonly count?: number;
	/** The sizes that it makes; absent: any size. */
	readonly sizes?: readonly ImageSize[];
	/** How the plugin may resize a picture to a size that the model does not make. Absent: such a size is refused. */
	readonly fit?: 'cover' | 'contain' | 'fill';
	/** Maximum input pictures of an edit; 16 by default. */
	readonly images?: number;
	/** Whether it accepts masks; true by default. */
	readonly mask?: boolean;
	/** Whether it makes transparent backgrounds; true by default. */
	readonly transparency?: boolean;
}

/**
 * A model that makes pictures from a text (`generate`), changes pictures (`edit`), or both.
 *
 * Throw `unsupportedValue(param, message)` for a request that the model does not support, and `modelError(message)` for
 * a failure with a message for the client. The message of any other error appears only in the log.
 */
export interface ImageModel extends Unloadable {
	readonly apiVersion: 1;
	readonly abilities?: ImageAbilities;
	generate?(request: ImageRequest, run: ImageRun): Promise<ImageResult>;
	edit?(request: ImageEditRequest, run: ImageRun): Promise<ImageResult>;
	/**
	 * For a model whose upstream has the same wire format: the request that passes this generation through, so that the
	 * client receives the bytes of the upstream's response. Undefined: this body must be translated.
	 */
	forward?(raw: RawBody): ForwardRequest | undefined;
}

/** The family of image models. */
export const imageModels = defineModelKind<ImageModel>(
	'image',
	{
		apiVersion: 1,
		functions: { generate: 'oneOf', edit: 'oneOf', forward: 'optional', unload: 'optional' },
		abilities: {
			count: 'number',
			sizes: 'array',
			fit: 'string',
			images: 'number',
			mask: 'boolean',
			transparency: 'boolean',
		},
	},
	({ abilities: { sizes, images = 16, mask = true, transparency = true } = {}, generate, edit }) => ({
		generate: generate !== undefined,
		edit: edit !== undefined,
		...(sizes ? { sizes: sizes.map(({ width, height }) => `${width}x${height}`) } : {}),
		// The plugin encodes all formats.
		formats: ['png', 'jpeg', 'webp'],
		...(edit ? { input_images: images, mask } : {}),
		transparent_background: transparency,
	}),
);

/** The media type of an encoded picture by its first bytes; undefined unless it is PNG, JPEG or WebP. */
export function pictureTypeOf(bytes: Uint8Array): ImageInput['mediaType'] | undefined {
	const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
	if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
	if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
	return /^RIFF.{4}WEBP/s.test(head) ? 'image/webp' : undefined;
}
