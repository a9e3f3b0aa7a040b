import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the files plugin. */
export const fileOptions = z.strictObject({
	/** Maximum bytes of all files of one tenant; 0: no limit. */
	quotaBytes: number().int().min(0).default(10_737_418_240),
	/** Maximum number of files of one tenant. The cost of an upload and of a list page grows with it. */
	maxFiles: number().int().min(1).default(10_000),
});

/** The checked options. */
export type FileOptions = z.output<typeof fileOptions>;
