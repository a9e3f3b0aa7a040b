import { defineModelKind, type Logger, type Unloadable } from '@plinth/core';

/** A media file that a client sent, already checked by the plugin. */
export interface MediaInput {
	/** Decided by content: `image/png`, `image/jpeg` or `image/webp`. */
	readonly mediaType: string;
	/** Length in bytes. */
	readonly size: number;
	/** Reads the whole file. */
	bytes(): Promise<Uint8Array>;
}

/** What a client asks for, in domain terms. */
export interface VideoRequest {
	/** 1 to 32,000 Unicode code points. */
	readonly prompt: string;
	/** Length in seconds: 2, 4, 8 or 12. */
	readonly seconds: number;
	/** Frame size in pixels. */
	readonly size: { readonly width: number; readonly height: number };
	/** The picture to start from, for image-to-video. */
	readonly reference?: MediaInput;
	/** Set when this video is a variation of an earlier one: the prompt that made that one. */
	readonly remixOf?: { readonly prompt: string };
}

/** An unfinished state of a video. */
export interface VideoPreview {
	readonly body: Uint8Array;
	readonly mediaType: 'image/jpeg' | 'image/png';
}

/** The surroundings of one attempt. */
export interface VideoRun {
	/**
	 * Aborts when the job is cancelled, deleted, lost to another worker, when the model's own time is over, or the
	 * server stops. Every await honours it.
	 */
	readonly signal: AbortSignal;
	/** Reports the fraction done, 0 to 1. Cheap to call often; values that fall are ignored. */
	progress(fraction: number): void;
	/**
	 * Shows an unfinished state to those who follow the job now; it is not stored. One a second is shown, of at most
	 * 90,000 bytes; others are dropped. Absent: nobody can follow.
	 */
	preview?(picture: VideoPreview): void;
	/**
	 * Stores a token durably (an upstream job id), so that an attempt after a crash can resume instead of paying twice.
	 * From then on no other model takes the job over. Rejects when nobody would find the token any more; `cancel` is
	 * then called with it.
	 */
	checkpoint(token: string): Promise<void>;
	/** The token of an earlier attempt, when there was one. */
	readonly resume?: string;
	/** A 32-bit unsigned seed, equal for equal requests. */
	readonly seed: number;
	/**
	 * Equal in all attempts of this model at this job, and nowhere else: an idempotency key for an upstream that knows
	 * such. It tells nothing of the job.
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
	readonly poster?: VideoPoster;
	readonly spritesheet?: VideoSpritesheet;
	/** What the model could not honour, one sentence each. */
	readonly warnings?: readonly string[];
}

/** What a model can do. What is left out is not known: such requests are passed to the model. */
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
 * Throw `modelError(message)` for a failure that the caller should read; the message of any other error stays in the
 * log.
 */
export interface VideoModel extends Unloadable {
	readonly apiVersion: 1;
	readonly abilities?: VideoAbilities;
	generate(request: VideoRequest, run: VideoRun): Promise<VideoResult>;
	/**
	 * Tells an upstream to stop the work behind a checkpoint token; called when a job that has one is cancelled, or
	 * when the time of the model is over.
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
