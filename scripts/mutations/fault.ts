/** A plausible mistake that the tests must notice. Paths are relative to the root of the repository. */
export interface Fault {
	/** What is wrong once it is planted: `no fsync of a blob`. */
	readonly what: string;
	/** The source file. */
	readonly file: string;
	/** Text that stands in the file exactly once, indented with tabs. */
	readonly find: string;
	/** What stands in its place then. */
	readonly replace: string;
	/** The test files that are run. Few, so that a fault takes seconds. */
	readonly tests: readonly string[];
}

/** The text of the file with the fault. Throws when `find` does not stand in it exactly once. */
export function plant({ file, find, replace, what }: Fault, text: string): string {
	const parts = text.split(find);
	if (parts.length === 2) return parts.join(replace);
	throw new Error(`"${what}" is stale: its text stands ${parts.length - 1} times in ${file}.`);
}
