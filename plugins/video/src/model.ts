import { defineModelKind, type Logger, type Unloadable } from '@plinth/core';

/** An input file that the plugin has checked. */
export interface MediaInput {
	/** Detected from the content: `image/png`, `image/jpeg` or `image/webp`. */
	readonly mediaType: string;
	/** Length in bytes. */
	readonly size: number;
	/** Reads the whole file. */
	bytes(): Promise<Uint8Array>;
}

/** A request for a video, independent of the wire format. */
export interface VideoRequest {
	/** 1 to 32,000 Unicode code points. */
	readonly prompt: string;
	/** Length in seconds: 2, 4, 8 or 12. */
	readonly seconds: number;
	/** Frame size in pixels. */
	readonly size: { readonly width: number; readonly height: number };
	/** The picture to start from, for image-to-video. */
	readonly reference?: MediaInput;
	/** For a variation of an earlier video: the prompt of that video. */
	readonly remixOf?: { readonly prompt: string };
}

/** A picture of an unfinished video. */
export interface VideoPreview {
	readonly body: Uint8Array;
	readonly mediaType: 'image/jpeg' | 'image/png';
}

/** The context of one attempt. */
export interface VideoRun {
	/**
	 * Aborts when the job is cancelled, deleted or lost to another worker, when the model's timeout passes, or when the
	 * server stops. Pass it to everything that waits.
	 */
	readonly signal: AbortSignal;
	/** Reports the fraction done, 0 to 1. Cheap to call often; lower values than before are ignored. */
	progress(fraction: number): void;
	/**
	 * Sends a preview to the clients that follow the job now; it is not stored. At most one per second is sent, of at
	 * most 90,000 bytes; others are dropped. Absent: the server has no event streams.
	 */
	preview?(picture: VideoPreview): void;
	/**
	 * Stores a token durably (an upstream job id), so that an attempt after a crash can resume instead of paying twice.
	 * After that, no other model can take over the job. Rejects when no attempt will read the token; `cancel` is then
	 * called with it.
	 */
	checkpoint(token: string): Promise<void>;
	/** The token of an earlier attempt, if it stored one. */
	readonly resume?: string;
	/** A 32-bit unsigned seed, equal for equal requests. */
	readonly seed: number;
	/**
	 * An idempotency key for an upstream: equal in all attempts of this model at this job, and different otherwise. It
	 * reveals nothing about the job.
	 */
	readonly key: string;
	readonly log: Logger;
}

/** A still picture of a video, served as `variant=thumbnail`. */
export interface VideoPoster {
	readonly body: Uint8Array;
	readonly mediaType: 'image/png' | 'image/webp';
}

/** Evenly spaced frames of a video in rows on one sheet, served as `variant=spritesheet`. */
export interface VideoSpritesheet {
	readonly body: Uint8Array;
	readonly mediaType: 'image/jpeg';
}

/** A finished video. */
export interface VideoResult {
	readonly body: Uint8Array | AsyncIterable<Uint8Array>;
	readonly mediaType: 'video/mp4';
	/** Whether the plugin blanks the metadata of the file, in place. Some engines write the prompt there. */
	readonly dropMetadata?: boolean;
	readonly poster?: VideoPoster;
	readonly spritesheet?: VideoSpritesheet;
	/** Options that the model ignored, one sentence each. */
	readonly warnings?: readonly string[];
}

/** The abilities of a model. The plugin does not check requests against an absent ability. */
export interface VideoAbilities {
	/** Frame sizes, `WIDTHxHEIGHT`. */
	readonly sizes?: readonly string[] | undefined;
	/** Lengths in seconds. */
	readonly seconds?: readonly number[] | undefined;
	/** Frames per second. */
	readonly fps?: number | undefined;
	/** Whether it starts from a reference picture. */
	readonly reference?: boolean | undefined;
}

/**
 * A model that renders videos.
 *
 * Throw `modelError(message)` for a failure with a message for the client. The message of any other error appears only
 * in the log.
 */
export interface VideoModel extends Unloadable {
	readonly apiVersion: 1;
	readonly abilities?: VideoAbilities;
	generate(request: VideoRequest, run: VideoRun): Promise<VideoResult>;
	/**
	 * Stops the upstream work of a checkpoint token. Called once or more when a job with a token is cancelled, or when
	 * the model's timeout passes. Work that has ended already is no error.
	 */
	cancel?(token: string): Promise<void>;
}

/** The family of video models. */
export const videoModels = defineModelKind<VideoModel>(
	'video',
	{
		apiVersion: 1,
		functions: { generate: 'required', cancel: 'optional', unload: 'optional' },
		abilities: { sizes: 'array', seconds: 'array', fps: 'number', reference: 'boolean' },
	},
	({ abilities: { sizes, seconds, fps, reference } = {} }) => ({
		...(sizes ? { sizes: [...sizes] } : {}),
		...(seconds ? { seconds: [...seconds] } : {}),
		...(fps === undefined ? {} : { fps }),
		...(reference === undefined ? {} : { input_reference: reference }),
	}),
);
