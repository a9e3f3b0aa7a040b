import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the video plugin. */
export const videoOptions = z.strictObject({
	/** Hours from completion until the content is gone. Fractions are allowed. */
	retentionHours: number().positive().default(24),
	/** `progress` as 0 to 1 (the interface) or 0 to 100 (OpenAI). `progress_percent` is there either way. */
	progressScale: z.enum(['fraction', 'percent']).default('fraction'),
	/** What `openai-poll-after-ms` suggests to pollers, in milliseconds. */
	pollAfterMs: number().int().min(100).max(60_000).default(5_000),
	/** How long a stream of events lives, in minutes; its client then goes on in a new one. */
	streamMinutes: number().min(1).max(1_440).default(60),
	/** How often a job that loses its worker is tried in all. */
	maxAttempts: number().int().min(1).max(5).default(5),
});

/** The checked options. */
export type VideoOptions = z.output<typeof videoOptions>;
