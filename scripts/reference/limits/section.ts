/** The subject of a limit, its name, and the behaviour beyond it. The value is read from the sources. */
export type LimitRow = readonly [what: string, name: string, beyond: string];

/** A part of the page. */
export interface LimitSection {
	readonly title: string;
	readonly rows: readonly LimitRow[];
}
