import { type Bitmap, copy, fingerprint, isOpaque } from './bitmap.ts';
import { finish } from './finish.ts';
import type { Edited, EditJob, Step, Undone } from './jobs.ts';
import { keepWhere } from './ops/alpha.ts';
import { findSubject } from './ops/background.ts';
import { judgeCut } from './ops/cut-quality.ts';
import { type Box, cut } from './ops/geometry.ts';
import { cutMask, grown, keepAround, openBox, putBack } from './ops/region.ts';
import { halvedJob, statesToShow } from './preview.ts';
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
	const { steps, picture, keep } = job;
	const box = keep && openBox(keep, picture);
	if (job.partials > 0 && (steps.length < 2 || (keep && !box))) await previewSizes(job, run);
	if (keep && !box) {
		const undone = steps.map((_, step) => ({ step, why: 'the mask protects everything' }));
		return edited(finish(picture, job), [], undone);
	}
	const around = box && reachOf(steps, box, job);
	// Cutting out is a copy too.
	const isPart = around && around.width * around.height < picture.width * picture.height * 0.8;
	return isPart ? applyInside(job, around, run) : applyAll(job, run);
}

function edited(picture: Bitmap, notes: Iterable<string>, undone: readonly Undone[]): Edited {
	return { picture, opaque: isOpaque(picture), notes: [...notes], undone };
}

/** The box that has to be worked on for what is inside another one; undefined where an operation looks at the whole picture. */
function reachOf(steps: readonly Step[], box: Box, { picture }: EditJob): Box | undefined {
	let reach = 0;
	for (const { verb, args, scope } of steps) {
		const own = scope ? undefined : verbNamed(verb).reach?.(args as never);
		if (own === undefined) return undefined;
		reach += own;
	}
	return grown(box, Math.ceil(reach), picture);
}

/** With a mask, and operations on single pixels and their neighbours: all work is done on a part of the picture. */
async function applyInside(job: EditJob, box: Box, run: ApplyRun): Promise<Edited> {
	const { picture, keep } = job;
	const part: EditJob = {
		...job,
		picture: cut(picture, box),
		keep: cutMask(keep as Uint8Array, picture.width, box),
		background: 'auto',
	};
	const report = (state: Bitmap): void => {
		const whole = copy(picture);
		putBack(whole, state, box);
		run.report(finish(whole, job));
	};
	const { picture: made, notes, undone } = await applyAll(part, { check: run.check, report });
	putBack(picture, made, box);
	return edited(finish(picture, job), notes, undone);
}

async function applyAll(job: EditJob, run: ApplyRun): Promise<Edited> {
	const notes = new Set<string>();
	const undone: Undone[] = [];
	const { steps, keep } = job;
	const before = keep && copy(job.picture);
	const shown = statesToShow(steps.length, job.partials);
	const complete = (picture: Bitmap): Bitmap => {
		if (keep && before && before.data.length === picture.data.length) {
			keepWhere(picture, before.data, keep);
		}
		return finish(picture, job);
	};
	let { picture } = job;
	let print = fingerprint(picture, keep);
	for (const [index, step] of steps.entries()) {
		run.check();
		let why: string | undefined;
		picture = await applyStep(picture, step, job, {
			check: run.check,
			note: (sentence) => notes.add(sentence),
			skip: (reason) => {
				why = reason;
			},
			scale: 1,
		});
		const after = fingerprint(picture, keep);
		if (why !== undefined || after === print) {
			undone.push({ step: index, why: why ?? 'it changes nothing in this picture' });
		}
		print = after;
		if (shown.has(index)) run.report(complete(copy(picture)));
	}
	run.check();
	return edited(complete(picture), notes, undone);
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
		const context = { check: run.check, note: () => {}, skip: () => {}, scale };
		for (const step of small.steps) picture = await applyStep(picture, step, small, context);
		if (small.keep && before && before.data.length === picture.data.length) {
			keepWhere(picture, before.data, small.keep);
		}
		run.report(finish(picture, small));
	}
}

/** What differs between a step of the real work and one of a preview. */
interface StepContext {
	check(): void;
	note(sentence: string): void;
	skip(why: string): void;
	readonly scale: number;
}

async function applyStep(picture: Bitmap, step: Step, job: EditJob, context: StepContext): Promise<Bitmap> {
	const keep = step.scope && scopeMask(picture, step.scope, context);
	if (step.scope && !keep) return picture;
	const before = keep && copy(picture);
	const made = await verbNamed(step.verb).run(picture, step.args as never, {
		...context,
		seed: job.seed,
		fast: job.fast,
		transparent: job.background === 'transparent',
		pictures: step.pictures.flatMap((index) => job.pictures[index] ?? []),
		...(job.keep && { keep: job.keep }),
	});
	if (keep && before && made.data.length === before.data.length) keepWhere(made, before.data, keep);
	return made;
}

/** What has to stay when only a part is to change; undefined, with a reason, where that part cannot be told. */
function scopeMask(
	picture: Bitmap,
	scope: NonNullable<Step['scope']>,
	{ check, skip, note }: StepContext,
): Uint8Array | undefined {
	if (typeof scope === 'object') return keepAround(picture, scope);
	const subject = findSubject(picture, 0.12, check);
	const { refusal, doubt } = judgeCut(subject, picture);
	if (refusal) {
		skip('the background cannot be told from the subject by its colour');
		return undefined;
	}
	if (doubt) note(doubt);
	return scope === 'background' ? subject : subject.map((share) => 255 - share);
}
