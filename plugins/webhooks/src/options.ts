import { formBoolean } from '@plinth/toolkit';
import { z } from 'zod';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long to wait after each failed attempt, in milliseconds. The first attempt is made immediately. */
export const defaultWaits: readonly number[] = [
	5 * second,
	5 * minute,
	30 * minute,
	2 * hour,
	5 * hour,
	10 * hour,
	10 * hour,
];

/** When failed attempts are repeated. */
export interface Schedule {
	readonly waits: readonly number[];
	/** Returns a number from 0 up to 1, like `Math.random`. */
	readonly random: () => number;
}

/** The wait after failed attempt number `tries`, ±10 % so that retries spread out; null after the last one. */
export function waitAfter({ waits, random }: Schedule, tries: number): number | null {
	const wait = waits[tries - 1];
	return wait === undefined ? null : Math.round(wait * (0.9 + 0.2 * random()));
}

const seconds = z.number().min(0).max(604_800);
const waits = z.array(seconds).max(50);
const expected = 'expected up to 50 numbers of seconds from 0 to 604800, separated by commas: 0.5,1,1,2';

/** Parses waits such as `0.5,1,1,2`. */
const waitsText = z.string().transform((text, ctx) => {
	const parts = text.split(',').map((part) => part.trim());
	if (parts.length === 1 && parts[0] === '') return [];
	const read = waits.safeParse(parts.map((part) => (part === '' ? Number.NaN : Number(part))));
	if (read.success) return read.data;
	ctx.addIssue(expected);
	return z.NEVER;
});

/** The options of the webhooks plugin. */
export const webhookOptions = z.strictObject({
	/** Allows plain http and private addresses. Use it for tests and closed networks only. */
	allowPrivate: formBoolean().default(false),
	/** Seconds to wait after the first attempt and after each further one. Empty: 5 s to 10 h. */
	retrySeconds: z
		.union([waitsText, waits], { error: expected })
		.default([])
		.transform((list) => (list.length === 0 ? defaultWaits : list.map((each) => each * 1000))),
});
