const instants = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const units = ['KB', 'MB', 'GB', 'TB'] as const;

/** Unix seconds as a date and time in the user's locale. */
export function instantText(seconds: number): string {
	return instants.format(seconds * 1000);
}

/** A duration: `850 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function spanText(seconds: number): string {
	if (seconds < 0.9995) return `${Math.round(Math.max(0, seconds) * 1000)} ms`;
	const whole = Math.round(seconds);
	if (whole < 60) return `${whole} s`;
	const minutes = Math.floor(whole / 60);
	if (minutes < 60) return joined([minutes, 'min'], [whole % 60, 's']);
	const hours = Math.floor(minutes / 60);
	if (hours < 48) return joined([hours, 'h'], [minutes % 60, 'min']);
	return joined([Math.floor(hours / 24), 'd'], [hours % 24, 'h']);
}

/** A duration between timestamps of the API, which are whole seconds. */
export function secondsText(seconds: number): string {
	return seconds < 1 ? 'under 1 s' : spanText(seconds);
}

/** A number of bytes: `512 B`, `1.5 MB`. A kilobyte has 1,000 bytes. */
export function bytesText(bytes: number): string {
	if (bytes < 1_000) return `${bytes} B`;
	let [value, unit] = [bytes / 1_000, 0];
	// 999,500 bytes are 1 MB, not 1000 KB.
	while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1_000, unit + 1];
	return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

function joined(large: readonly [number, string], small: readonly [number, string]): string {
	return [large, small]
		.filter(([value]) => value > 0)
		.map((part) => part.join(' '))
		.join(' ');
}
