/** A plausible mistake that the tests must detect. Paths are relative to the root of the repository. */
export interface Fault {
	/** The effect of the mistake: `no fsync of a blob`. */
	readonly what: string;
	/** The source file. */
	readonly file: string;
	/** Text that occurs in the file exactly once, indented with tabs. */
	readonly find: string;
	/** The replacement of that text. */
	readonly replace: string;
	/** The test files to run. They are few, so that a fault takes seconds. */
	readonly tests: readonly string[];
}

/** The text of the file with the fault. Throws unless `find` occurs in it exactly once. */
export function plant({ file, find, replace, what }: Fault, text: string): string {
	const parts = text.split(find);
	if (parts.length === 2) return parts.join(replace);
	throw new Error(`"${what}" is stale: its text occurs ${parts.length - 1} times in ${file}.`);
}
