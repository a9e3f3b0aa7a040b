import { z } from 'zod';

/** The options of the events plugin. */
export const eventsOptions = z.strictObject({
	/** How long a stream lives; its client then goes on in a new one. */
	// Configs in YAML hold `${NAME}`, which arrives as a string.
	streamMinutes: z.coerce.number<number | string>().min(1).max(1_440).default(60),
});

/** The checked options. */
export type EventsOptions = z.output<typeof eventsOptions>;
