import { z } from 'zod';

/** The options of the console. */
export const consoleOptions = z.strictObject({
	/** `off`: the page is not served, and `/` returns 404. */
	page: z.enum(['on', 'off']).default('on'),
});
