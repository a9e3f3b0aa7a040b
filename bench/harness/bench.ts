/** The goal of a figure. `ratio` is Plinth's figure divided by the reference; `value` is Plinth's figure. */
export interface Goal {
	readonly of: 'ratio' | 'value';
	readonly bound: 'at most' | 'at least';
	readonly limit: number;
}

/** One line of the table: Plinth's figure, and optionally a reference that ran in turns with it. */
export interface Row {
	readonly name: string;
	/** What the figures count: `CPU ms per download`, `jobs/s`. */
	readonly unit: string;
	readonly ours: number;
	/** The reference's figure in the same unit. */
	readonly reference?: { readonly name: string; readonly value: number };
	/** Wall-clock milliseconds per operation, for information. */
	readonly wall?: { readonly ours: number; readonly reference?: number };
	readonly goal?: Goal;
	/** The figures of every round, in order. The medians are taken of these. */
	readonly rounds?: { readonly ours: readonly number[]; readonly reference?: readonly number[] };
	/** A sentence on how to read it. */
	readonly note?: string;
}

/** One benchmark. Most measure for a minute; `s3` takes four, `memory` ten and `gateway` fifteen. */
export interface Bench {
	readonly name: string;
	readonly about: string;
	/** Programs without which it cannot run. */
	readonly needs: readonly Program[];
	/** True when parts were left out or could not be measured. The rows are then printed and not saved. */
	readonly isPartial?: boolean;
	run(): Promise<readonly Row[]>;
}

/** Programs that benchmarks compare with or need. */
export type Program =
	| 'nginx'
	| 'ffmpeg'
	| 'vips'
	| 'pdftotext'
	| 'pandoc'
	| 'soffice'
	| 'gcc'
	| 'taskset'
	| 'postgres'
	| 'pg-boss'
	| 'swift-proxy-server'
	| 'memcached';

/** Plinth's figure divided by the reference; undefined without a reference. */
export function ratioOf({ ours, reference }: Row): number | undefined {
	return reference && ours / reference.value;
}

/** Whether a row reaches its goal; undefined when it has none. */
export function isReached(row: Row): boolean | undefined {
	const { goal } = row;
	if (!goal) return undefined;
	const figure = goal.of === 'ratio' ? ratioOf(row) : row.ours;
	if (figure === undefined) return undefined;
	return goal.bound === 'at most' ? figure <= goal.limit : figure >= goal.limit;
}
