import type { FitOptions, ImageCodec, RawImage } from '@plinth/core';
import type {
	ImageEditRequest,
	ImageInput,
	ImageModel,
	ImageResult,
	ImageRun,
} from '@plinth/plugin-image/model';
import { createPool, type Pool, workerFile } from '../../pool.ts';
import type { Size } from './bitmap.ts';
import type { EditJob, EditJobs } from './jobs.ts';
import { type EditPlan, planEdit } from './plan.ts';
import { share } from './share.ts';

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

interface Outcome {
	readonly picture: RawImage;
	readonly opaque: boolean;
	readonly notes: readonly string[];
}

/** Decoding at the final size is all there is to do. */
async function resizeOnly(
	images: ImageCodec,
	{ images: [input] }: ImageEditRequest,
	{ signal, partials, partial }: ImageRun,
	{ base }: EditPlan,
): Promise<Outcome> {
	const { source, hasAlpha } = input as ImageInput;
	const picture = await images.fit(source, { ...base, mode: 'cover' }, signal);
	if (partials > 0) {
		const half = (length: number): number => Math.max(1, length >> 1);
		const small = { width: half(base.width), height: half(base.height), mode: 'fill' } as const;
		partial(await images.fit(picture, small, signal));
	}
	return { picture, opaque: !hasAlpha, notes: [] };
}

async function change(
	images: ImageCodec,
	pool: Pool<EditJobs>,
	request: ImageEditRequest,
	{ signal, seed, partials, partial }: ImageRun,
	plan: EditPlan,
): Promise<Outcome> {
	const decode = (input: ImageInput, { width, height }: Size, mode: FitOptions['mode']) =>
		images.fit(input.source, { width, height, mode }, signal);
	const inputs = request.images;
	const [picture, mask, ...pictures] = await Promise.all([
		decode(inputs[0] as ImageInput, plan.base, 'cover'),
		request.mask && decode(request.mask, plan.base, 'cover'),
		...plan.pictures.map(({ index, mode, ...size }) =>
			decode(inputs[index] as ImageInput, size, mode),
		),
	]);
	const job: EditJob = {
		kind: 'edit',
		picture: share(picture),
		...(mask && { keep: alphaOf(mask) }),
		pictures: pictures.map((one) => share(one as RawImage)),
		steps: plan.steps,
		seed,
		fast: request.quality === 'low',
		background: request.background,
		partials,
		...(plan.finish && { finish: plan.finish }),
	};
	return pool.run(job, { signal, onReport: (state) => partial(state) });
}

/** One byte a pixel: 255 where the picture has to stay. */
function alphaOf({ data }: RawImage): Uint8Array {
	const alpha = new Uint8Array(new SharedArrayBuffer(data.length >> 2));
	for (let i = 3, k = 0; i < data.length; i += 4, k++) alpha[k] = data[i] as number;
	return alpha;
}

function result(
	request: ImageEditRequest,
	plan: EditPlan,
	{ picture, opaque, notes }: Outcome,
): ImageResult {
	const warnings = [...plan.warnings, ...notes];
	if (request.background === 'transparent' && opaque) {
		warnings.push('The background is not transparent: ask for “remove background”.');
	}
	return {
		images: [{ ...picture, revisedPrompt: plan.revisedPrompt }],
		quality: request.quality === 'auto' ? 'high' : request.quality,
		...(warnings.length > 0 && { warnings }),
	};
}
