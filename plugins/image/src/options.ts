import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the image plugin. */
export const imageOptions = z.strictObject({
	/** Lifetime of the URLs in responses, in minutes. */
	urlMinutes: number().positive().max(10_080).default(60),
	/** Maximum concurrent model calls of one request that needs several for its `n` pictures. */
	concurrency: number().int().min(1).max(10).default(2),
	/** Maximum concurrent requests in this process; more get 503. Each holds its finished pictures in memory. */
	maxRequests: number().int().min(1).max(10_000).default(32),
});

/** The checked options. */
export type ImageOptions = z.output<typeof imageOptions>;
