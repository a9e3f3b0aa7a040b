/** A time of Windows, in tenths of microseconds since 1601, as ISO 8601. Undefined for what no program meant: zero, and times out of range. */
export function isoTime(ticks: bigint): string | undefined {
	const time = new Date(Number(ticks / 10_000n) - 11_644_473_600_000);
	return time.getUTCFullYear() >= 1970 ? time.toISOString() : undefined;
}
