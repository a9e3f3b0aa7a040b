import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the image plugin. */
export const imageOptions = z.strictObject({
	/** Minutes for which an answer's URLs serve their pictures. */
	urlMinutes: number().positive().max(10_080).default(60),
	/** How many calls of a model one request makes at the same time, where it needs several for its `n` pictures. */
	concurrency: number().int().min(1).max(10).default(2),
	/** How many requests this process works on at the same time; 503 beyond. Each holds its finished pictures in memory. */
	maxRequests: number().int().min(1).max(10_000).default(32),
});

/** The checked options. */
export type ImageOptions = z.output<typeof imageOptions>;
