import { z } from 'zod';

/** The lengths of videos that requests may set, in seconds. */
export const videoSeconds = [2, 4, 8, 12] as const;

/** The frame sizes that requests may set, `WIDTHxHEIGHT`. */
export const videoSizes = ['720x1280', '1280x720', '1024x1792', '1792x1024', '640x480', '480x640'] as const;

/** Config options for the `abilities` of a video model whose adapter cannot know them. */
export const videoAbilityOptions = {
	/** The frame sizes that the model makes. Other sizes are refused. Unset: not known; every size is passed on. */
	sizes: z.array(z.enum(videoSizes)).min(1).optional(),
	/** The lengths that the model makes, in seconds. Others are refused. Unset: not known; every length is passed on. */
	seconds: z.array(z.literal(videoSeconds)).min(1).optional(),
	/** Frames per second, for `/v1/models`. */
	fps: z.coerce.number<number | string>().positive().max(240).optional(),
	/** Whether the model starts from a picture. `false`: pictures are refused. Unset: not known; they are passed on. */
	reference: z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]).optional(),
};
