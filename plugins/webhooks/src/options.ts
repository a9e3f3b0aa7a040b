import { formBoolean } from '@plinth/toolkit';
import { z } from 'zod';
import { defaultWaits } from './sending/schedule.ts';

const seconds = z.number().min(0).max(604_800);
const waits = z.array(seconds).max(50);
const expected = 'expected up to 50 numbers of seconds from 0 to 604800, separated by commas: 0.5,1,1,2';

/** The waits in a text: `0.5,1,1,2`. */
const written = z.string().transform((text, ctx) => {
	const parts = text.split(',').map((part) => part.trim());
	if (parts.length === 1 && parts[0] === '') return [];
	const read = waits.safeParse(parts.map((part) => (part === '' ? Number.NaN : Number(part))));
	if (read.success) return read.data;
	ctx.addIssue(expected);
	return z.NEVER;
});

/** The options of the webhooks plugin. */
export const webhookOptions = z.strictObject({
	/** Lets plain http and addresses of private networks through: for tests and for networks without strangers. */
	allowPrivate: formBoolean().default(false),
	/**
	 * Seconds to wait after the first attempt, which comes at once, and after each further one. Empty: the schedule of
	 * five seconds to ten hours.
	 */
	retrySeconds: z
		.union([written, waits], { error: expected })
		.default([])
		.transform((list) => (list.length === 0 ? defaultWaits : list.map((each) => each * 1000))),
});

/** The checked options. */
export type WebhookOptions = z.output<typeof webhookOptions>;
