import type { RawImage } from '@plinth/toolkit';
import type { Painted, PaintJob } from './paint.ts';

/** Draw a planned picture. */
export interface DrawJob extends PaintJob {
	readonly kind: 'draw';
}

/** What a worker can do. */
export interface DrawJobs {
	/** Reports the unfinished states, as they are made. */
	draw(job: DrawJob, report: RawImage): Painted;
}
