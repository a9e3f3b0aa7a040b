import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the chat plugin. */
export const chatOptions = z.strictObject({
	/** Maximum documents read concurrently per tenant, over all its requests; the others wait. */
	concurrency: number().int().min(1).max(64).default(2),
	/** Maximum document characters of one request; more get 400. A model may accept less; its input is then cut. */
	documentChars: number().int().min(1).max(100_000_000).default(40_000_000),
	/** Maximum document characters of all concurrent requests; more get 503. */
	heldChars: number().int().min(1).default(120_000_000),
});

/** The checked options. */
export type ChatOptions = z.output<typeof chatOptions>;
