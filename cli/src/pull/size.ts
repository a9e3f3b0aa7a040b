const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** A number of bytes for people: `12 bytes`, `4.1 GB`. */
export function sizeOf(bytes: number): string {
	const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
	return `${power === 0 ? bytes : (bytes / 1_000 ** power).toFixed(1)} ${units[power]}`;
}
