import type { ImageEditRequest, ImageInput, ImageResult, ImageRun, ImageSize } from '@plinth/plugin-image/model';
import { type ImageCodec, type RawImage, Semaphore } from '@plinth/toolkit';
import type { Edit, Step } from './command.ts';
import { limited, masked, pipeline, pixelsOf, scaled, transparent } from './effects.ts';
import { parsePrompt } from './parse.ts';

/** Two edits run at a time. Waiting edits hold no decoded picture. */
const slots = new Semaphore(2);
const help = 'Nothing in the prompt was understood. Commands are, for example: sepia, blur 6, crop 16:9, add text "…".';

/** Runs the commands of the prompt, in order. Equal requests give equal pixels. */
export function edit(images: ImageCodec, request: ImageEditRequest, run: ImageRun): Promise<ImageResult> {
	return slots.run(() => editNow(images, request, run), run.signal);
}

async function editNow(images: ImageCodec, request: ImageEditRequest, run: ImageRun): Promise<ImageResult> {
	const { steps: named, unknown } = parsePrompt(request.prompt);
	const [applied, refused, warnings] = [new Set<string>(), new Set<string>(), new Set<string>()];
	const warn: Edit['warn'] = (sentence) => warnings.add(sentence);
	const base = baseOf(request, named, warn);
	const fit = (input: ImageInput | undefined, size: ImageSize, mode: 'cover' | 'contain') =>
		images.fit((input as ImageInput).source, { ...size, mode }, run.signal);
	const decode: Edit['decode'] = (index, size) => fit(request.images[index], size, 'contain');
	const original = await fit(request.images[0], base, 'cover');
	const steps = request.background === 'transparent' && isOpaque(original) ? withCutOut(named) : named;
	const mask = request.mask && (await fit(request.mask, base, 'cover'));
	const finish = (picture: RawImage, by = 1) => finished(request, mask ? masked(original, picture, mask) : picture, by);
	let picture = original;
	for (const [index, step] of steps.entries()) {
		run.signal.throwIfAborted();
		const context = { picture, image: pipeline(picture), sizes: request.images, decode, warn };
		const output = reasonToSkip(request, step, index) ?? (await step.command.run({ ...step, ...context }));
		if (typeof output === 'string') refused.add(`${step.label} (${output})`);
		else applied.add(step.label);
		if (typeof output !== 'string') picture = await pixelsOf(output);
		const state = index < run.partials && (await finish(picture, index < steps.length - 1 ? 1 : 0.5));
		if (state && !run.signal.aborted) run.partial(state);
	}
	const notDone = sentence('Not done', [...refused]);
	const passages = unknown.map((clause) => `"${clause.slice(0, 80)}"`);
	const notRead = sentence('Not understood', passages);
	const sentences = [`Applied: ${[...applied].join(', ') || 'nothing'}.`, ...notRead, ...notDone];
	return {
		images: [{ ...(await finish(picture)), revisedPrompt: sentences.join(' ') }],
		quality: request.quality === 'auto' ? 'high' : request.quality,
		warnings: [...(named.length === 0 ? [help] : []), ...notDone, ...warnings],
	};
}

/** The steps, after the removal of the background. It comes first, so that a border or a text stays. */
function withCutOut(steps: readonly Step[]): readonly Step[] {
	const isNamed = steps.some(({ command }) => command.name === 'remove background');
	return isNamed ? steps : [...parsePrompt('remove background').steps, ...steps];
}

function isOpaque({ data }: RawImage): boolean {
	for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
	return true;
}

function sentence(title: string, parts: readonly string[]): readonly string[] {
	const list = parts.slice(0, 10).join(', ');
	return list === '' ? [] : [`${title}: ${list}.`];
}

/** The size to which the picture is decoded: smaller at low fidelity, unless a size is requested. */
function baseOf({ images: [own], mask, size, fidelity }: ImageEditRequest, steps: readonly Step[], warn: Edit['warn']) {
	if (size && (mask || !steps.some(({ command }) => command.resizes))) return size;
	const isLow = fidelity === 'low' && !size && steps[0]?.command.name !== 'resize';
	return limited(own as ImageInput, size ? undefined : warn, isLow ? 1_572_864 : undefined, Number.POSITIVE_INFINITY);
}

/** Why a command cannot be done. */
function reasonToSkip({ mask, images }: ImageEditRequest, { command, args }: Step, index: number): string | undefined {
	if (index >= 24) return 'at most 24 commands are done';
	if (mask && command.resizes) return 'the size cannot change with a mask';
	const input = command.name === 'side by side' ? 2 : args.input;
	return input === undefined || (input > 1 && images[input - 1]) ? undefined : `there is no further image ${input}`;
}

/** Scales a picture to a share of the requested size, on the requested background. */
function finished({ size, background }: ImageEditRequest, picture: RawImage, by: number): RawImage | Promise<RawImage> {
	const { width, height } = scaled(size ?? picture, by);
	if (width === picture.width && height === picture.height && background !== 'opaque') return picture;
	const output = pipeline(picture).resize({ width, height, fit: 'contain', background: transparent });
	return pixelsOf(background === 'opaque' ? output.flatten({ background: 'white' }) : output);
}
