/** Formats bytes: `1.5 GB`, in units of 1,024. */
export function formatBytes(bytes: number): string {
	const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
	const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
	return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}
