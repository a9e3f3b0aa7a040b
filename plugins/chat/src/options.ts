import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the chat plugin. */
export const chatOptions = z.strictObject({
	/** How many documents of one tenant are read at the same time, in all its requests together; the others wait. */
	concurrency: number().int().min(1).max(64).default(2),
	/** Characters of the documents of one request together; 400 beyond. What a model takes may be less, and is cut. */
	documentChars: number().int().min(1).max(100_000_000).default(40_000_000),
	/** Characters of the documents of all requests that are answered at the same time; 503 beyond. */
	heldChars: number().int().min(1).default(120_000_000),
});

/** The checked options. */
export type ChatOptions = z.output<typeof chatOptions>;
