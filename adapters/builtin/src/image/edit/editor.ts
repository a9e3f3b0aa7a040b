import type { ImageEditRequest, ImageInput, ImageModel, ImageResult, ImageRun } from '@plinth/plugin-image/model';
import type { FitOptions, ImageCodec, RawImage } from '@plinth/toolkit';
import { createPool, type Pool, workerFile } from '../../pool.ts';
import type { Bitmap, Size } from './bitmap.ts';
import type { Edited, EditJob, EditJobs } from './jobs.ts';
import { free, memoryOf, own } from './own.ts';
import { type EditPlan, planEdit } from './plan.ts';
import { revisedPrompt, undoneParts } from './report.ts';

/** What the editor works with. */
export interface EditorNeeds {
	readonly images: ImageCodec;
	/** Threads that change pixels. */
	readonly pool: Pool<EditJobs>;
}

/** Starts the threads of the editor when they are needed, at most `size`. */
export function createEditPool(size: number): Pool<EditJobs> {
	return createPool<EditJobs>(size, workerFile(import.meta.url), 'builtin image editor');
}

/**
 * Makes `edit`: the prompt is read as a list of operations, which are done to the pixels. What was done and what was not understood stands
 * in `revisedPrompt`; a prompt without any operation gives the picture back unchanged, with a warning. Equal requests with equal seeds
 * give equal pixels.
 */
export function createEditor({ images, pool }: EditorNeeds): NonNullable<ImageModel['edit']> {
	return async (request, run) => {
		const { images: inputs, size, fidelity, mask, prompt } = request;
		const plan = planEdit({
			prompt,
			sizes: inputs.map(({ width, height }) => ({ width, height })),
			masked: mask !== undefined,
			fidelity,
			...(size && { size }),
		});
		const flattens = request.background === 'opaque' && inputs[0]?.hasAlpha;
		const isPlain = plan.steps.length === 0 && !plan.finish && !flattens;
		const edited = isPlain
			? await resizeOnly(images, request, run, plan)
			: await change(images, pool, request, run, plan);
		return result(request, plan, edited);
	};
}

/** Decoding at the final size is all there is to do. */
async function resizeOnly(
	images: ImageCodec,
	{ images: [input] }: ImageEditRequest,
	{ signal, partials, partial }: ImageRun,
	{ base }: EditPlan,
): Promise<Edited> {
	const { source, hasAlpha } = input as ImageInput;
	const picture = await images.fit(source, { ...base, mode: 'cover' }, signal);
	if (partials > 0) {
		const half = (length: number): number => Math.max(1, length >> 1);
		const small = { width: half(base.width), height: half(base.height), mode: 'fill' } as const;
		partial(await images.fit(picture, small, signal));
	}
	return { picture, opaque: !hasAlpha, notes: [], undone: [] };
}

async function change(
	images: ImageCodec,
	pool: Pool<EditJobs>,
	request: ImageEditRequest,
	{ signal, seed, partials, partial }: ImageRun,
	plan: EditPlan,
): Promise<Edited> {
	const decode = (input: ImageInput, { width, height }: Size, mode: FitOptions['mode']) =>
		images.fit(input.source, { width, height, mode }, signal);
	const inputs = request.images;
	const [picture, keep] = await Promise.all([
		decode(inputs[0] as ImageInput, plan.base, 'cover').then(own),
		request.mask && decode(request.mask, plan.base, 'cover').then(alphaOf),
	]);
	// One after the other: each decoder that is at work holds memory of its own.
	const pictures: Bitmap[] = [];
	for (const { index, mode, ...size } of plan.pictures) {
		pictures.push(own(await decode(inputs[index] as ImageInput, size, mode)));
	}
	const job: EditJob = {
		kind: 'edit',
		picture,
		...(keep && { keep }),
		pictures,
		steps: plan.steps,
		seed,
		fast: request.quality === 'low',
		background: request.background,
		partials,
		...(plan.finish && { finish: plan.finish }),
	};
	const pixels = [picture, ...pictures].map(({ data }) => data);
	const given = memoryOf(keep ? [...pixels, keep] : pixels);
	return pool.run(job, { signal, given, onReport: (state) => partial(state) });
}

/** One byte a pixel: 255 where the picture has to stay. */
function alphaOf({ width, height, data }: RawImage): Uint8Array {
	const alpha = new Uint8Array(width * height);
	for (let k = 0; k < alpha.length; k++) alpha[k] = data[k * 4 + 3] as number;
	free(data);
	return alpha;
}

function result(request: ImageEditRequest, plan: EditPlan, { picture, opaque, notes, undone }: Edited): ImageResult {
	const { report, steps } = plan;
	const skipped = undoneParts(report, steps.length, undone).map((part) => `Not done: ${part}.`);
	const warnings = [...plan.warnings, ...skipped, ...notes];
	if (request.background === 'transparent' && opaque) {
		warnings.push('The background is not transparent: ask for “remove background”.');
	}
	return {
		images: [{ ...picture, revisedPrompt: revisedPrompt(report, steps.length, undone) }],
		quality: request.quality === 'auto' ? 'high' : request.quality,
		...(warnings.length > 0 && { warnings }),
	};
}
