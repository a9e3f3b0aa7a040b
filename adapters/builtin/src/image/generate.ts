import { unsupportedValue } from '@plinth/core';
import type { ImageModel, ImageRequest, ImageSize } from '@plinth/plugin-image/model';
import type { ImageCodec, RawImage } from '@plinth/toolkit';
import { layOutCaption } from '../scene/caption.ts';
import { planScene } from '../scene/plan.ts';
import { sceneSvg } from '../scene/scene.ts';
import { surfaceOf } from '../scene/stage.ts';
import { quotationOf } from '../scene/words.ts';
import type { Threads } from '../threads.ts';
import { describe } from './describe.ts';
import type { DrawJob } from './worker.ts';

/** The sizes that can be drawn: the sides in pixels, and all pixels together. */
const sides = { min: 64, max: 3840 };
const maxPixels = 3840 * 2160;
const defaultSize: ImageSize = { width: 1024, height: 1024 };

/** How a picture is drawn: the scale of the drawing, which is then enlarged, and the range of its grain. */
const finishes = {
	low: { scale: 0.5, grain: 0 },
	medium: { scale: 1, grain: 0 },
	high: { scale: 1, grain: 5 },
} as const;

/** Creates `generate`: a scene is planned from the prompt and drawn in a thread. */
export function createGenerator(needs: {
	readonly images: ImageCodec;
	readonly threads: Threads<DrawJob, RawImage>;
}): NonNullable<ImageModel['generate']> {
	const { images, threads } = needs;
	return async (request, { signal, seed, partials, partial }) => {
		const { prompt, size = defaultSize } = request;
		checkSize(size);
		const isAlone = request.background === 'transparent';
		const plan = planScene({ prompt, seed });
		const captionText = quotationOf(prompt)?.text ?? (plan.isGuessed ? prompt : '');
		const caption = isAlone ? '' : captionText;
		const quality = request.quality === 'auto' ? 'high' : request.quality;
		const { scale, grain } = finishes[finishOf(request, quality)];
		const only = isAlone ? (['alone'] as const) : undefined;
		/** Draws a share of the sides and enlarges it to the whole size. */
		const draw = async (share: number): Promise<RawImage> => {
			const svg = sceneSvg(plan, { ...size, scale: share, caption, ...(only && { only }) });
			const pixels = await threads.run({ svg, grain: share === 1 ? grain : 0 }, { signal });
			return share === 1 ? pixels : images.fit(pixels, { ...size, mode: 'fill' }, signal);
		};
		for (let remaining = partials; remaining > 0; remaining--) partial(await draw(scale / 2 ** remaining));
		const picture = await draw(scale);
		const warnings = [
			...layOutCaption(caption, surfaceOf(size)).warnings,
			...(request.style ? ['The builtin image model has no styles: `style` changes nothing.'] : []),
			...(isAlone && quotationOf(prompt) ? ['A picture with a transparent background has no caption.'] : []),
		];
		return {
			images: [{ ...picture, revisedPrompt: describe(plan, caption, isAlone) }],
			quality,
			...(warnings.length > 0 && { warnings }),
		};
	};
}

/** The finish for the number of steps, or without one for the quality. */
function finishOf({ steps }: ImageRequest, quality: keyof typeof finishes): keyof typeof finishes {
	if (steps === undefined) return quality;
	return steps < 5 ? 'low' : steps < 15 ? 'medium' : 'high';
}

function checkSize({ width, height }: ImageSize): void {
	const fits = [width, height].every((side) => side >= sides.min && side <= sides.max);
	if (fits && width * height <= maxPixels) return;
	const range = `${sides.min} to ${sides.max} pixels a side and up to ${maxPixels} in all`;
	throw unsupportedValue('size', `The builtin image model draws ${range}, not ${width}x${height}.`);
}
