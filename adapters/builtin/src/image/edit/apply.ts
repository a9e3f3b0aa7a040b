import { type Bitmap, copy, isOpaque, type Size } from './bitmap.ts';
import type { Edited, EditJob, Step } from './jobs.ts';
import { flatten, keepWhere, premultiply, unpremultiply } from './ops/alpha.ts';
import { backgroundShare, findSubject } from './ops/background.ts';
import { onCanvas } from './ops/geometry.ts';
import { halve, resize } from './ops/scale.ts';
import { verbNamed } from './verbs/table.ts';

/** What the work may do besides. */
export interface ApplyRun {
	/** Throws when the work is to stop. */
	check(): void;
	/** Shows an unfinished state; the pixels are its own. */
	report(picture: Bitmap): void;
}

/** Does all operations of a job, one after the other, and reports states between them. */
export async function applyJob(job: EditJob, run: ApplyRun): Promise<Edited> {
	const notes = new Set<string>();
	const { steps } = job;
	const before = job.keep && copy(job.picture);
	if (job.partials > 0 && steps.length < 2) await previewSizes(job, run);
	const shown = statesToShow(steps.length, job.partials);
	let { picture } = job;
	for (const [index, step] of steps.entries()) {
		run.check();
		picture = await applyStep(picture, step, job, run, (sentence) => notes.add(sentence), 1);
		if (shown.has(index)) run.report(finished(copy(picture), before, job));
	}
	run.check();
	const done = finished(picture, before, job);
	return { picture: done, opaque: isOpaque(done), notes: [...notes] };
}

/** After which operations a state is shown: evenly spread, never the last one, which is the result. */
function statesToShow(steps: number, partials: number): ReadonlySet<number> {
	const number = Math.min(partials, steps - 1);
	return new Set(
		Array.from(
			{ length: Math.max(0, number) },
			(_, i) => Math.round(((i + 1) * steps) / (number + 1)) - 1,
		),
	);
}

/** A single operation is shown at a quarter and at half of the size. */
async function previewSizes(job: EditJob, run: ApplyRun): Promise<void> {
	const half = halvedJob(job);
	const previews = job.partials > 1 ? [halvedJob(half), half] : [halvedJob(half)];
	for (const [index, small] of previews.entries()) {
		run.check();
		const scale = previews.length > 1 && index === 1 ? 0.5 : 0.25;
		const before = small.keep && copy(small.picture);
		let { picture } = small;
		for (const step of small.steps)
			picture = await applyStep(picture, step, small, run, () => {}, scale);
		run.report(finished(picture, before, small));
	}
}

function halvedJob(job: EditJob): EditJob {
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

async function applyStep(
	picture: Bitmap,
	step: Step,
	job: EditJob,
	{ check }: ApplyRun,
	note: (sentence: string) => void,
	scale: number,
): Promise<Bitmap> {
	const keep = step.scope && scopeMask(picture, step.scope, check, note);
	const before = keep && copy(picture);
	const made = await verbNamed(step.verb).run(picture, step.args as never, {
		check,
		note,
		scale,
		seed: job.seed,
		fast: job.fast,
		transparent: job.background === 'transparent',
		pictures: step.pictures.flatMap((index) => job.pictures[index] ?? []),
		...(job.keep && { keep: job.keep }),
	});
	if (keep && before && made.data.length === before.data.length) keepWhere(made, before.data, keep);
	return made;
}

/** What has to stay when only the background, or only the subject, is to change. */
function scopeMask(
	picture: Bitmap,
	scope: 'background' | 'subject',
	check: () => void,
	note: (sentence: string) => void,
): Uint8Array {
	const subject = findSubject(picture, 0.12, check);
	if (backgroundShare(subject) < 0.01) {
		note('The background could not be told from the subject by its colour.');
	}
	return scope === 'background' ? subject : subject.map((share) => 255 - share);
}

/** Puts back what the mask protects, and brings the picture to its final size and background. */
function finished(picture: Bitmap, before: Bitmap | undefined, job: EditJob): Bitmap {
	if (before && job.keep && before.data.length === picture.data.length) {
		keepWhere(picture, before.data, job.keep);
	}
	const sized = job.finish ? contained(picture, job.finish, job.background) : picture;
	if (job.background === 'opaque') flatten(sized, [255, 255, 255]);
	return sized;
}

/** The whole picture inside a size; the room around it has the colour of the picture's border, or is transparent. */
function contained(picture: Bitmap, size: Size, background: EditJob['background']): Bitmap {
	if (picture.width === size.width && picture.height === size.height) return picture;
	const scale = Math.min(size.width / picture.width, size.height / picture.height);
	premultiply(picture);
	const small = resize(
		picture,
		Math.min(size.width, Math.max(1, Math.round(picture.width * scale))),
		Math.min(size.height, Math.max(1, Math.round(picture.height * scale))),
	);
	unpremultiply(small);
	return onCanvas(small, size, background === 'transparent' ? undefined : borderColor(small));
}

/** The mean colour of the border; undefined when some of it is transparent. */
function borderColor({ width, height, data }: Bitmap): readonly number[] | undefined {
	const sums = [0, 0, 0];
	let count = 0;
	for (let y = 0; y < height; y++) {
		const step = y === 0 || y === height - 1 ? 1 : Math.max(1, width - 1);
		for (let x = 0; x < width; x += step) {
			const at = (y * width + x) * 4;
			if (data[at + 3] !== 255) return undefined;
			for (let c = 0; c < 3; c++) sums[c] = (sums[c] as number) + (data[at + c] as number);
			count++;
		}
	}
	return sums.map((sum) => Math.round(sum / count));
}
