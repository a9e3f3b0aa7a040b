import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the files plugin. */
export const fileOptions = z.strictObject({
	/** Bytes that the files of one tenant may take up together; 0: no bound. */
	quotaBytes: number().int().min(0).default(10_737_418_240),
	/** How many files one tenant may have. What an upload and a page of the list cost grows with it. */
	maxFiles: number().int().min(1).default(10_000),
});

/** The checked options. */
export type FileOptions = z.output<typeof fileOptions>;
