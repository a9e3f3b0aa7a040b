/** Prints facts as two columns, whether the test passes or not: a run's figures belong in its log. */
export function printTable(title: string, facts: Readonly<Record<string, number | string>>): void {
	const rows = Object.entries(facts).map(([name, value]) => `  ${name.padEnd(44)} ${value}`);
	process.stdout.write(`\n${title}\n${rows.join('\n')}\n\n`);
}
