/** Prints facts as two columns, even when the test passes, so that a run logs its figures. */
export function printTable(title: string, facts: Readonly<Record<string, number | string>>): void {
	const rows = Object.entries(facts).map(([name, value]) => `  ${name.padEnd(44)} ${value}`);
	process.stdout.write(`\n${title}\n${rows.join('\n')}\n\n`);
}
