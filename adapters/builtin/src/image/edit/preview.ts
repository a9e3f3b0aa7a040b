import { type Bitmap, copy } from './bitmap.ts';
import type { EditJob } from './jobs.ts';
import { premultiply, unpremultiply } from './ops/alpha.ts';
import { halve } from './ops/scale.ts';

/** After which operations a state is shown: evenly spread, never the last one, which is the result. */
export function statesToShow(steps: number, partials: number): ReadonlySet<number> {
	const number = Math.min(partials, steps - 1);
	return new Set(
		Array.from({ length: Math.max(0, number) }, (_, i) => Math.round(((i + 1) * steps) / (number + 1)) - 1),
	);
}

/** The same edit of a picture of half the size. */
export function halvedJob(job: EditJob): EditJob {
	const { width, height } = job.picture;
	const finish = job.finish && {
		width: Math.max(1, job.finish.width >> 1),
		height: Math.max(1, job.finish.height >> 1),
	};
	return {
		...job,
		picture: halvedStraight(job.picture),
		pictures: job.pictures.map(halvedStraight),
		...(job.keep && { keep: halvedMask(job.keep, width, height) }),
		...(finish && { finish }),
	};
}

function halvedStraight(picture: Bitmap): Bitmap {
	const source = copy(picture);
	premultiply(source);
	const small = halve(source);
	unpremultiply(small);
	return small;
}

function halvedMask(keep: Uint8Array, width: number, height: number): Uint8Array {
	const [w, h] = [(width + 1) >> 1, (height + 1) >> 1];
	const small = new Uint8Array(w * h);
	for (let y = 0; y < h; y++) {
		for (let x = 0; x < w; x++) small[y * w + x] = keep[y * 2 * width + x * 2] as number;
	}
	return small;
}
