import type { Bitmap, Size } from './bitmap.ts';
import type { Region } from './grammar/scope.ts';

/** One operation, as plain data. */
export interface Step {
	/** The name of its row in the table. */
	readonly verb: string;
	readonly args: Readonly<Record<string, unknown>>;
	/** Only this part is to change. */
	readonly scope?: 'background' | 'subject' | Region;
	/** Which of the job's further pictures it needs. */
	readonly pictures: readonly number[];
}

/** Change pixels. */
export interface EditJob {
	readonly kind: 'edit';
	/** Is overwritten. */
	readonly picture: Bitmap;
	/** One byte a pixel: 255 stays byte for byte, 0 changes, and what is between is mixed. */
	readonly keep?: Uint8Array;
	readonly pictures: readonly Bitmap[];
	readonly steps: readonly Step[];
	readonly seed: number;
	/** Cheaper filters. */
	readonly fast: boolean;
	readonly background: 'transparent' | 'opaque' | 'auto';
	/** The size that the result is brought to, with room around it where its shape differs. */
	readonly finish?: Size;
	/** How many unfinished states to report. */
	readonly partials: number;
}

/** An operation that found nothing to do. */
export interface Undone {
	/** Its place among the steps of the job. */
	readonly step: number;
	/** As the end of a sentence. */
	readonly why: string;
}

/** What an edit made. */
export interface Edited {
	readonly picture: Bitmap;
	/** Whether nothing of it is transparent. */
	readonly opaque: boolean;
	/** What the client should know, one sentence each. */
	readonly notes: readonly string[];
	readonly undone: readonly Undone[];
}

/** What a worker can do. It reports unfinished states. */
export interface EditJobs {
	edit(job: EditJob, report: Bitmap): Edited;
}
