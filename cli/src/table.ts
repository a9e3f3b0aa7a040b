/** Formats rows as columns with a header. Ends with a line break. */
export function table(rows: readonly Readonly<Record<string, string>>[]): string {
	const names = Object.keys(rows[0] ?? {});
	const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))];
	const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
	const printed = lines.map((line) =>
		line
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd(),
	);
	return `${printed.join('\n')}\n`;
}
