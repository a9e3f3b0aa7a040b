import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the parse plugin. */
export const parseOptions = z.strictObject({
	/** How many documents of one tenant are read at the same time, in all its requests together; the others wait. */
	concurrency: number().int().min(1).max(64).default(2),
	/** Characters of all texts in one answer together. What is beyond is left out, and its documents say `truncated`. */
	answerChars: number().int().min(1).max(100_000_000).default(40_000_000),
	/** Characters of all answers that the process makes or sends at the same time, where a page counts 100 more; 503 beyond. */
	heldChars: number().int().min(1).default(120_000_000),
});

/** The checked options. */
export type ParseOptions = z.output<typeof parseOptions>;
