import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the parse plugin. */
export const parseOptions = z.strictObject({
	/** Maximum documents read concurrently per tenant, over all its requests; the others wait. */
	concurrency: number().int().min(1).max(64).default(2),
	/** Maximum characters of all texts in one response. The rest is left out, and its documents are marked `truncated`. */
	answerChars: number().int().min(1).max(100_000_000).default(40_000_000),
	/** Maximum characters of all concurrent responses, plus 100 per page; more get 503. */
	heldChars: number().int().min(1).default(120_000_000),
});

/** The checked options. */
export type ParseOptions = z.output<typeof parseOptions>;
