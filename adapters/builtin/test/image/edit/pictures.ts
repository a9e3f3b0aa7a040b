import { applyJob } from '../../../src/image/edit/apply.ts';
import { type Bitmap, copy, type Size, solid } from '../../../src/image/edit/bitmap.ts';
import type { EditJob } from '../../../src/image/edit/jobs.ts';
import { cut } from '../../../src/image/edit/ops/geometry.ts';
import { resize } from '../../../src/image/edit/ops/scale.ts';
import { type EditPlan, planEdit } from '../../../src/image/edit/plan.ts';
import { revisedPrompt } from '../../../src/image/edit/report.ts';

/** Red, green, blue and alpha of one pixel. */
export function pixel({ width, data }: Bitmap, x: number, y: number): readonly number[] {
	const at = (y * width + x) * 4;
	return [...data.subarray(at, at + 4)];
}

/** Paints a rectangle. */
export function paint(
	picture: Bitmap,
	x: number,
	y: number,
	width: number,
	height: number,
	color: readonly number[],
): void {
	for (let row = y; row < y + height; row++) {
		for (let column = x; column < x + width; column++) {
			picture.data.set([...color.slice(0, 3), color[3] ?? 255], (row * picture.width + column) * 4);
		}
	}
}

/** A picture with a bit of everything: soft colours from dark to light, and a hard-edged orange square in the middle. */
export function scene(width = 64, height = 48): Bitmap {
	const picture = solid(width, height, [0, 0, 0]);
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const [u, v] = [x / (width - 1), y / (height - 1)];
			paint(picture, x, y, 1, 1, [30 + u * 170, 60 + v * 120, 200 - u * 120]);
		}
	}
	const side = Math.round(Math.min(width, height) / 3);
	paint(picture, (width - side) >> 1, (height - side) >> 1, side, side, [240, 140, 20]);
	return picture;
}

/** A dark red square on white: a subject that can be told from its background. */
export function subject(width = 64, height = 48): Bitmap {
	const picture = solid(width, height, [255, 255, 255]);
	paint(picture, 20, 12, 24, 24, [120, 10, 20]);
	return picture;
}

/** What is edited, and how. */
export interface EditOptions {
	readonly others?: readonly Bitmap[];
	readonly keep?: Uint8Array;
	readonly size?: Size;
	readonly background?: EditJob['background'];
	readonly partials?: number;
	readonly fidelity?: 'low' | 'high';
	readonly seed?: number;
	/** As at low quality. */
	readonly fast?: boolean;
}

/** What came of a prompt. */
export interface Edit {
	readonly picture: Bitmap;
	readonly plan: EditPlan;
	readonly states: readonly Bitmap[];
	readonly notes: readonly string[];
	/** What is said about it after the work. */
	readonly said: string;
}

/** Brings a picture to a size as `cover` does. */
export function cover(picture: Bitmap, { width, height }: Size): Bitmap {
	const scale = Math.max(width / picture.width, height / picture.height);
	const whole = resize(
		picture,
		Math.max(width, Math.round(picture.width * scale)),
		Math.max(height, Math.round(picture.height * scale)),
	);
	const [x, y] = [(whole.width - width) >> 1, (whole.height - height) >> 1];
	return cut(whole, { x, y, width, height });
}

/** Plans and does an edit in this thread; the given pictures stay as they are. */
export async function edit(prompt: string, input: Bitmap, options: EditOptions = {}): Promise<Edit> {
	const { others = [], keep, size, background = 'auto', partials = 0, fidelity = 'high' } = options;
	const all = [input, ...others];
	const plan = planEdit({
		prompt,
		sizes: all.map(({ width, height }) => ({ width, height })),
		masked: keep !== undefined,
		fidelity,
		...(size && { size }),
	});
	const states: Bitmap[] = [];
	const job: EditJob = {
		kind: 'edit',
		picture: copy(cover(input, plan.base)),
		...(keep && { keep }),
		pictures: plan.pictures.map((wanted) => cover(all[wanted.index] as Bitmap, wanted)),
		steps: plan.steps,
		seed: options.seed ?? 7,
		fast: options.fast ?? false,
		background,
		partials,
		...(plan.finish && { finish: plan.finish }),
	};
	const { picture, notes, undone } = await applyJob(job, {
		check: () => {},
		report: (state) => states.push(state),
	});
	const said = revisedPrompt(plan.report, plan.steps.length, undone);
	return { picture, plan, states, notes, said };
}

/** The mean of one channel, or of red, green and blue. */
export function mean({ data }: Bitmap, channel?: number): number {
	let [sum, count] = [0, 0];
	for (let i = 0; i < data.length; i++) {
		if (channel === undefined ? i % 4 === 3 : i % 4 !== channel) continue;
		sum += data[i] as number;
		count++;
	}
	return sum / count;
}

/** The standard deviation of red, green and blue. */
export function spread(picture: Bitmap): number {
	const middle = mean(picture);
	let [sum, count] = [0, 0];
	for (let i = 0; i < picture.data.length; i++) {
		if (i % 4 === 3) continue;
		sum += ((picture.data[i] as number) - middle) ** 2;
		count++;
	}
	return Math.sqrt(sum / count);
}

/** How colourful it is: the mean distance of the channels of a pixel. */
export function colorfulness({ data }: Bitmap): number {
	let sum = 0;
	for (let i = 0; i < data.length; i += 4) {
		const rgb = data.subarray(i, i + 3);
		sum += Math.max(...rgb) - Math.min(...rgb);
	}
	return sum / (data.length / 4);
}

/** The greatest step of a channel between two neighbours in a row. */
export function steepest({ width, height, data }: Bitmap): number {
	let most = 0;
	for (let y = 0; y < height; y++) {
		for (let x = 1; x < width; x++) {
			for (let c = 0; c < 3; c++) {
				const at = (y * width + x) * 4 + c;
				most = Math.max(most, Math.abs((data[at] as number) - (data[at - 4] as number)));
			}
		}
	}
	return most;
}

/** The mean step between neighbours in a row: how much detail there is. */
export function detail({ width, height, data }: Bitmap): number {
	let sum = 0;
	for (let y = 0; y < height; y++) {
		for (let x = 1; x < width; x++) {
			const at = (y * width + x) * 4;
			sum += Math.abs((data[at] as number) - (data[at - 4] as number));
		}
	}
	return sum / (width * height);
}

/** The distinct values of one channel. */
export function values({ data }: Bitmap, channel: number): ReadonlySet<number> {
	return new Set(data.filter((_, i) => i % 4 === channel));
}

/** The share of pixels that differ within a part of the height, from `from` to `to` (0 to 1). */
export function changed(a: Bitmap, b: Bitmap, from = 0, to = 1): number {
	let count = 0;
	const [first, last] = [Math.floor(a.height * from) * a.width, Math.floor(a.height * to) * a.width];
	for (let k = first; k < last; k++) {
		for (let c = 0; c < 4; c++) {
			if (a.data[k * 4 + c] === b.data[k * 4 + c]) continue;
			count++;
			break;
		}
	}
	return count / Math.max(1, last - first);
}
