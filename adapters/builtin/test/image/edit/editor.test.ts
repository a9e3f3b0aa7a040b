import type { ImageEditRequest, ImageInput, ImageRun } from '@plinth/plugin-image/model';
import type { FitOptions, ImageCodec, RawImage } from '@plinth/toolkit';
import { afterAll, describe, expect, it } from 'vitest';
import { applyJob } from '../../../src/image/edit/apply.ts';
import { type Bitmap, copy, solid } from '../../../src/image/edit/bitmap.ts';
import { createEditor, createEditPool } from '../../../src/image/edit/editor.ts';
import type { EditJobs } from '../../../src/image/edit/jobs.ts';
import type { Pool } from '../../../src/pool.ts';
import { cover, pixel, scene } from './pictures.ts';

const quiet = (): void => {};

/** Pictures whose files are one byte: their number. */
function fakeCodec(pictures: readonly Bitmap[]): ImageCodec & { readonly fitted: string[] } {
	const fitted: string[] = [];
	const refuse = () => Promise.reject(new Error('not used'));
	return {
		fitted,
		probe: refuse,
		encode: refuse,
		transcode: refuse,
		composite: refuse,
		fit: async (image, { width, height, mode }: FitOptions) => {
			const isPixels = 'data' in image;
			const name = isPixels ? 'pixels' : String((image as Uint8Array)[0]);
			fitted.push(`${name} ${mode} ${width}x${height}`);
			const source = isPixels ? (image as RawImage) : (pictures[(image as Uint8Array)[0] ?? 0] as Bitmap);
			return cover(copy(source), { width, height });
		},
	};
}

/** Works in this thread, and counts the jobs. */
function ownThread(): Pool<EditJobs> & { readonly jobs: unknown[] } {
	const jobs: unknown[] = [];
	const run = (job: Parameters<typeof applyJob>[0], options: { onReport?(state: Bitmap): void }) => {
		jobs.push(job);
		return applyJob(job, { check: quiet, report: (state) => options.onReport?.(state) });
	};
	return { size: 1, jobs, run: run as never, close: async () => {} };
}

function input(index: number, { width, height }: Bitmap): ImageInput {
	const bytes = new Uint8Array([index]);
	const rest = { size: 1, sha256: '', source: bytes, bytes: async () => bytes };
	return { mediaType: 'image/png', width, height, hasAlpha: false, ...rest };
}

function request(
	prompt: string,
	pictures: readonly Bitmap[],
	changes: Partial<ImageEditRequest> = {},
): ImageEditRequest {
	return {
		prompt,
		count: 1,
		quality: 'auto',
		background: 'auto',
		format: 'png',
		compression: 100,
		moderation: 'auto',
		images: pictures.map((picture, index) => input(index, picture)),
		fidelity: 'low',
		...changes,
	};
}

function run(changes: Partial<ImageRun> = {}): ImageRun & { readonly states: string[] } {
	const states: string[] = [];
	const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
	return {
		signal: new AbortController().signal,
		seed: 7,
		partials: 0,
		partial: (picture) => states.push('width' in picture ? `${picture.width}x${picture.height}` : ''),
		log,
		states,
		...changes,
	};
}

describe('the editor', () => {
	it('does what the prompt says and tells what it did not understand', async () => {
		const pictures = [scene()];
		const edit = createEditor({ images: fakeCodec(pictures), pool: ownThread() });
		const { images, quality, warnings } = await edit(request('invert and add a unicorn', pictures), run());
		expect(images).toHaveLength(1);
		expect(images[0]).toMatchObject({
			width: 64,
			height: 48,
			revisedPrompt: 'Applied: invert. Not understood: “unicorn”.',
		});
		expect(pixel(images[0] as Bitmap, 0, 0)[0]).toBe(225);
		expect(quality).toBe('high');
		expect(warnings).toBeUndefined();
	});

	it('gives the picture back unchanged when it understood nothing, and says so', async () => {
		const pictures = [scene()];
		const edit = createEditor({ images: fakeCodec(pictures), pool: ownThread() });
		const { images, warnings } = await edit(request('a unicorn, please', pictures), run());
		expect((images[0] as Bitmap).data).toEqual(pictures[0]?.data);
		expect(images[0]?.revisedPrompt).toContain('unchanged');
		expect(warnings?.join()).toContain('unchanged');
	});

	it('leaves a plain resize to the codec, in one step', async () => {
		const pictures = [scene()];
		const [images, pool] = [fakeCodec(pictures), ownThread()];
		const context = run({ partials: 1 });
		await createEditor({ images, pool })(request('resize to 32x32', pictures), context);
		expect(images.fitted).toEqual(['0 cover 32x32', 'pixels fill 16x16']);
		expect(pool.jobs).toEqual([]);
		expect(context.states).toEqual(['16x16']);
	});

	it('decodes further pictures only when they are used, and in the size that they will have', async () => {
		const pictures = [scene(), solid(20, 20, [0, 160, 0]), solid(20, 20, [0, 0, 200])];
		const images = fakeCodec(pictures);
		const edit = createEditor({ images, pool: ownThread() });
		await edit(request('sepia', pictures), run());
		expect(images.fitted.splice(0)).toEqual(['0 cover 64x48']);
		await edit(request('overlay image 3 in the centre, 50%', pictures), run());
		expect(images.fitted).toEqual(['0 cover 64x48', '2 fill 24x24']);
	});

	it('takes the mask from its alpha, in the size of the picture', async () => {
		const mask = solid(64, 48, [0, 0, 0, 255]);
		for (let i = 3; i < 400; i += 4) mask.data[i] = 0;
		const pictures = [scene(), mask];
		const images = fakeCodec(pictures);
		const edit = createEditor({ images, pool: ownThread() });
		const changes = { images: [input(0, scene())], mask: input(1, mask) };
		const { images: made } = await edit(request('fill red', pictures, changes), run());
		expect(images.fitted).toEqual(['0 cover 64x48', '1 cover 64x48']);
		expect(pixel(made[0] as Bitmap, 10, 0)).toEqual([255, 0, 0, 255]);
		expect(pixel(made[0] as Bitmap, 40, 1)).toEqual(pixel(scene(), 40, 1));
	});

	it('warns when a transparent background was asked for and nothing made one', async () => {
		const pictures = [scene()];
		const edit = createEditor({ images: fakeCodec(pictures), pool: ownThread() });
		const transparent = { background: 'transparent' } as const;
		const { warnings } = await edit(request('sepia', pictures, transparent), run());
		expect(warnings?.join()).toContain('not transparent');
		const round = await edit(request('circle', pictures, transparent), run());
		expect(round.warnings).toBeUndefined();
	});
});

describe('the editor in its own threads', () => {
	const pool = createEditPool(1);
	afterAll(() => pool.close());

	it('shows states while it works, gives the same pixels, and stops at once when the signal aborts', async () => {
		const pictures = [scene()];
		const images = fakeCodec(pictures);
		const context = run({ partials: 1 });
		const wish = request('glitch, text "Hi"', pictures);
		const threaded = await createEditor({ images, pool })(wish, context);
		const own = await createEditor({ images, pool: ownThread() })(wish, run());
		expect(context.states).toEqual(['64x48']);
		expect(Buffer.from((threaded.images[0] as Bitmap).data)).toEqual(Buffer.from((own.images[0] as Bitmap).data));
		const abort = new AbortController();
		const large = request('denoise 5, '.repeat(20), [scene(64, 48)], {
			size: { width: 900, height: 900 },
		});
		const running = createEditor({ images, pool })(large, run({ signal: abort.signal }));
		setImmediate(() => abort.abort(new Error('the client left')));
		await expect(running).rejects.toThrow('the client left');
	});
});
