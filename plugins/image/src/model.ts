import { defineModelKind, type ForwardRequest, type Logger, type RawBody, type Unloadable } from '@plinth/core';
import type { EncodedImage, RawImage } from '@plinth/toolkit';

/** Width and height in pixels. */
export interface ImageSize {
	readonly width: number;
	readonly height: number;
}

/** What a client asks for, in domain terms. */
export interface ImageRequest {
	/** 1 to 32,000 Unicode code points. */
	readonly prompt: string;
	/** How many pictures this call is to make, 1 to `abilities.count`. */
	readonly count: number;
	/** In pixels; absent: the model decides. */
	readonly size?: ImageSize;
	/** `auto`: the model decides. */
	readonly quality: 'low' | 'medium' | 'high' | 'auto';
	/** Whether the background is to be see-through; `auto`: the model decides. */
	readonly background: 'transparent' | 'opaque' | 'auto';
	/** What the client will receive. A model may return any format: the plugin converts. */
	readonly format: 'png' | 'jpeg' | 'webp';
	/** 0 to 100: the quality of JPEG and WebP; how little is done to make a PNG small. */
	readonly compression: number;
	/** How strict the model's own filter is to be. */
	readonly moderation: 'auto' | 'low';
	/** Inference steps, 1 to 50; absent: the model decides. */
	readonly steps?: number;
	/** A hint of older clients. */
	readonly style?: 'vivid' | 'natural';
	/** The caller's own name for its user. */
	readonly user?: string;
}

/** A picture that a client sent, already checked by the plugin: it is what it says, and can be decoded. */
export interface ImageInput {
	/** Decided by content. */
	readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
	/** Length in bytes, at most 52,428,800. */
	readonly size: number;
	/** In pixels, upright. */
	readonly width: number;
	readonly height: number;
	readonly hasAlpha: boolean;
	/** Lower-case hex SHA-256 of the bytes. */
	readonly sha256: string;
	/**
	 * For `ImageCodec`: large pictures lie in a file, and need not be read into memory. Gone when the request has been
	 * answered.
	 */
	readonly source: EncodedImage;
	/** Reads the whole file. */
	bytes(): Promise<Uint8Array>;
}

/** A request to change pictures. */
export interface ImageEditRequest extends ImageRequest {
	/** 1 to 16, in the client's order; the first one is the one that is changed. */
	readonly images: readonly ImageInput[];
	/** As large as the first picture. Where its alpha is 0 the picture may change, where it is 255 it stays. */
	readonly mask?: ImageInput;
	/** How closely the result keeps to the inputs. */
	readonly fidelity: 'low' | 'high';
}

/** A picture that a model made: pixels, or a file whose media type matches its bytes. */
export type Picture =
	| RawImage
	| {
			readonly body: Uint8Array;
			readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
	  };

/** A finished picture. Its memory belongs to the plugin from then on. */
export type MadeImage = Picture & {
	/** The prompt as the model understood it. */
	readonly revisedPrompt?: string;
};

/** What the work is charged as. The plugin estimates it where a model says nothing. */
export interface ImageUsage {
	readonly inputTextTokens: number;
	readonly inputImageTokens: number;
	readonly outputTokens: number;
}

/** What one call made. */
export interface ImageResult {
	/** `request.count` pictures; fewer where `filtered` counts the rest. */
	readonly images: readonly MadeImage[];
	/** How many pictures the filter of the model withheld. */
	readonly filtered?: number;
	/** What `quality: auto` became. */
	readonly quality?: 'low' | 'medium' | 'high';
	/** What the model could not honour, one sentence each. */
	readonly warnings?: readonly string[];
	readonly usage?: ImageUsage;
}

/** The surroundings of one call. */
export interface ImageRun {
	/**
	 * Aborts when the client leaves, another picture of the same request fails, the model's time or the deadline passes
	 * or the server stops. Every await honours it.
	 */
	readonly signal: AbortSignal;
	/** A 32-bit unsigned seed, equal for equal requests. The pictures of one request have successive ones. */
	readonly seed: number;
	/** How many unfinished states of each picture the client would like to see: 0 to 3. */
	readonly partials: number;
	/**
	 * Shows an unfinished state, whose memory may be used again at once. `image` counts the pictures of this call from
	 * 0. What is shown beyond `partials` is left out, and so is what is broken, or is not encoded when the finished
	 * picture is.
	 */
	partial(picture: Picture, image?: number): void;
	readonly log: Logger;
}

/** What a model does itself; the plugin does the rest, or refuses what it cannot do. */
export interface ImageAbilities {
	/** Most pictures of one call; 1 unless said otherwise. For more of them the plugin calls again. */
	readonly count?: number;
	/** The sizes that it makes; absent: every one that is asked for. */
	readonly sizes?: readonly ImageSize[];
	/** How the plugin may bring a picture to a size that the model does not make. Absent: such a size is refused. */
	readonly fit?: 'cover' | 'contain' | 'fill';
	/** Most input pictures of an edit; 16 unless said otherwise. */
	readonly images?: number;
	/** Whether it takes masks; true unless said otherwise. */
	readonly mask?: boolean;
	/** Whether it makes see-through backgrounds; true unless said otherwise. */
	readonly transparency?: boolean;
}

/**
 * A model that makes pictures from words (`generate`), changes pictures (`edit`), or both.
 *
 * Refuse what cannot be done with `unsupportedValue(param, message)`. Throw `modelError(message)` for a failure that
 * the caller should read; the message of any other error stays in the log.
 */
export interface ImageModel extends Unloadable {
	readonly apiVersion: 1;
	readonly abilities?: ImageAbilities;
	generate?(request: ImageRequest, run: ImageRun): Promise<ImageResult>;
	edit?(request: ImageEditRequest, run: ImageRun): Promise<ImageResult>;
	/**
	 * For a model whose upstream speaks this wire format: the request that passes this generation through, so that the
	 * response reaches the client byte for byte. Undefined: this body must be translated.
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
		// The plugin encodes them all.
		formats: ['png', 'jpeg', 'webp'],
		...(edit ? { input_images: images, mask } : {}),
		transparent_background: transparency,
	}),
);
