import { UserError } from './user-error.ts';

const hourMs = 3_600_000;

/**
 * Parses an expiry: `12h` or `30d` from now, or an ISO 8601 date, in UTC by default.
 *
 * Returns milliseconds since the Unix epoch; throws unless it is after `now`.
 */
export function instantOf(text: string, now: number): number {
	const instant = durationFrom(text, now) ?? dateFrom(text);
	if (instant === undefined || !Number.isFinite(new Date(instant).getTime())) {
		throw new UserError(`"${text}" is not a time. Write 12h, 30d, 2027-01-31 or 2027-01-31T18:00:00Z.`);
	}
	if (instant <= now) throw new UserError(`"${text}" is in the past.`);
	return instant;
}

function durationFrom(text: string, now: number): number | undefined {
	const [, count, unit] = /^(\d{1,6})([hd])$/.exec(text) ?? [];
	return count === undefined ? undefined : now + Number(count) * (unit === 'd' ? 24 * hourMs : hourMs);
}

function dateFrom(text: string): number | undefined {
	const [, day, time, zone = 'Z'] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
	if (day === undefined) return undefined;
	// Date accepts 30 February as 2 March.
	const midnight = new Date(`${day}T00:00:00Z`);
	if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
	return Date.parse(`${day}T${time ?? '00:00'}${zone}`);
}
