import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the video plugin. */
export const videoOptions = z.strictObject({
	/** Hours from completion until the content is deleted. Fractions are allowed. */
	retentionHours: number().positive().default(24),
	/** Shortest lifetime of a signed URL, in minutes. The longest is twice that, and never beyond the content's. */
	urlMinutes: number().positive().max(10_080).default(60),
	/** Unit of `progress`: 0 to 1 (the interface) or 0 to 100 (OpenAI). `progress_percent` is always present. */
	progressScale: z.enum(['fraction', 'percent']).default('fraction'),
	/** The value of `openai-poll-after-ms`, in milliseconds. */
	pollAfterMs: number().int().min(100).max(60_000).default(5_000),
	/** Maximum duration of an event stream, in minutes. The client then opens a new one. */
	streamMinutes: number().min(1).max(1_440).default(60),
	/** Maximum number of attempts of a job whose worker is lost. */
	maxAttempts: number().int().min(1).max(5).default(5),
});

/** The checked options. */
export type VideoOptions = z.output<typeof videoOptions>;
