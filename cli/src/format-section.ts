/** Formats labelled lines under a title. */
export function formatSection(
	title: string,
	rows: readonly (readonly [label: string, lines: readonly string[]])[],
): string {
	const body = rows.flatMap(([label, lines]) =>
		lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(12)} ${line}`),
	);
	return `\n${title}\n\n${body.join('\n')}\n\n`;
}
