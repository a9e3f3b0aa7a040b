import { UserError } from './user-error.ts';

const hourMs = 3_600_000;

/**
 * Reads when something ends: `12h` or `30d` from now, or an ISO 8601 date, in UTC unless it says otherwise.
 * Milliseconds since the Unix epoch; throws unless it lies ahead of `now`.
 */
export function instantOf(text: string, now: number): number {
	const instant = durationFrom(text, now) ?? dateFrom(text);
	if (instant === undefined || !Number.isFinite(new Date(instant).getTime())) {
		throw new UserError(
			`"${text}" is no time. Write 12h, 30d, 2027-01-31 or 2027-01-31T18:00:00Z.`,
		);
	}
	if (instant <= now) throw new UserError(`"${text}" lies in the past.`);
	return instant;
}

function durationFrom(text: string, now: number): number | undefined {
	const [, count, unit] = /^(\d{1,6})([hd])$/.exec(text) ?? [];
	return count === undefined
		? undefined
		: now + Number(count) * (unit === 'd' ? 24 * hourMs : hourMs);
}

function dateFrom(text: string): number | undefined {
	const [, day, time, zone = 'Z'] =
		/^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
	if (day === undefined) return undefined;
	// Date takes 30 February for 2 March.
	const midnight = new Date(`${day}T00:00:00Z`);
	if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
	return Date.parse(`${day}T${time ?? '00:00'}${zone}`);
}
