import { z } from 'zod';

/** The options of the events plugin. */
export const eventsOptions = z.strictObject({
	/** Maximum duration of a stream, in minutes. The client then opens a new one. */
	// Configs in YAML hold `${NAME}`, which arrives as a string.
	streamMinutes: z.coerce.number<number | string>().min(1).max(1_440).default(60),
});

/** The checked options. */
export type EventsOptions = z.output<typeof eventsOptions>;
