import { isPlinthError } from '@plinth/core';
import type { ImageEditRequest, ImageModel, ImageRequest } from '@plinth/plugin-image/model';
import { expect, test } from 'vitest';
import { openai } from '../src/index.ts';
import { type Cell, cellsOf } from './features.ts';
import { modelOf } from './harness.ts';
import { codec, colors, inputOf, make, paint, wish } from './pictures.ts';
import { type Got, json, scripted } from './upstream.ts';

const images = await codec();
const red = await images.encode(colors(4, 4, 1), { format: 'png' });
const picture = await inputOf(images, colors(8, 4, 2));
const webp = await inputOf(images, colors(8, 4, 2), 'webp');
/** Open on the left. */
const mask = await inputOf(
	images,
	paint(8, 4, (x) => [9, 9, 9, x < 4 ? 0 : 255]),
);

/** How a feature is asked for, and how the server is told of it. */
interface Probe {
	readonly request: ImageRequest | ImageEditRequest;
	readonly partials?: number;
	/** What the plugin refuses by the model's word. */
	isRefused?(model: ImageModel): boolean;
	isSaid(got: Got, dialect: string): Promise<boolean> | boolean;
	/** What becomes of it where the server is not told. */
	readonly otherwise?: Cell;
}

const edit = (part: Partial<ImageEditRequest> = {}): ImageEditRequest => ({
	...wish(),
	images: [picture],
	fidelity: 'low',
	...part,
});
const files = (got: Got, ...names: readonly string[]) => names.flatMap((name) => got.form.getAll(name)) as File[];
const field = (got: Got, name: string) => got.json[name] ?? got.form.get(name);

const probes: Readonly<Record<string, Probe>> = {
	'image generation': {
		request: wish(),
		isSaid: ({ path, json }) => path === '/v1/images/generations' && `${json.prompt}`.startsWith('a cat'),
	},
	'image edits': {
		request: edit(),
		isSaid: (got) => got.path === '/v1/images/edits' && files(got, 'image', 'image[]').length === 1,
	},
	'image edits with a mask': {
		request: edit({ mask }),
		isRefused: ({ abilities }) => abilities?.mask === false,
		async isSaid(got, dialect) {
			const [file] = files(got, 'mask', 'mask_image');
			const sent = new Uint8Array((await file?.arrayBuffer()) ?? new ArrayBuffer());
			const { data } = await images.fit(sent, { width: 8, height: 4, mode: 'fill' });
			const sides = [[...data.subarray(0, 4)], [...data.subarray(28, 32)]];
			const transparent = [
				[9, 9, 9, 0],
				[9, 9, 9, 255],
			];
			const white = [
				[255, 255, 255, 255],
				[0, 0, 0, 255],
			];
			expect(sides).toEqual(dialect === 'openai' ? transparent : white);
			return true;
		},
	},
	'several input images': {
		request: edit({ images: [picture, picture] }),
		isRefused: ({ abilities }) => (abilities?.images ?? 16) < 2,
		isSaid: (got) => files(got, 'image', 'image[]').length === 2,
	},
	'WebP as input': {
		request: edit({ images: [webp], mask }),
		isSaid: (got) => files(got, 'image', 'image[]')[0]?.type === 'image/webp',
	},
	'`partial_images`': {
		request: wish(),
		partials: 2,
		isSaid: ({ json }) => json.stream === true && json.partial_images === 2,
		otherwise: 'no',
	},
	'`n` in one call': {
		request: wish({ count: 2 }),
		isSaid: ({ json }) => json.n === 2,
	},
	'`size`': {
		request: wish({ size: { width: 96, height: 64 } }),
		isSaid: ({ json }) => json.size === '96x64',
	},
	'`output_format`, `output_compression`': {
		request: wish({ format: 'webp', compression: 50 }),
		isSaid: ({ json }) => json.output_format === 'webp' && json.output_compression === 50,
	},
	'`quality`': {
		request: wish({ quality: 'high' }),
		isSaid: ({ json }) => json.quality === 'high',
	},
	'`background: transparent`': {
		request: wish({ background: 'transparent' }),
		isRefused: ({ abilities }) => abilities?.transparency === false,
		isSaid: ({ json }) => json.background === 'transparent',
	},
	'`moderation`': {
		request: wish({ moderation: 'low' }),
		isSaid: ({ json }) => json.moderation === 'low',
	},
	'`input_fidelity`': {
		request: edit({ fidelity: 'high', mask }),
		isSaid: (got) => field(got, 'input_fidelity') === 'high',
		otherwise: 'no',
	},
	'`num_inference_steps`': {
		request: wish({ steps: 12 }),
		isSaid: ({ json }) =>
			(json.num_inference_steps ?? json.step) === 12 ||
			`${json.prompt}`.includes('"sample_params":{"sample_steps":12}'),
	},
	'`style`': { request: wish({ style: 'vivid' }), isSaid: () => false },
	'equal requests get equal images': {
		request: wish(),
		isSaid: ({ json }) => json.seed === 7 || `${json.prompt}`.includes('{"seed":7}'),
		otherwise: 'no',
	},
};

test.each(cellsOf('image'))('%s with %s: %s', async (feature, dialect, expected) => {
	const probe = probes[feature] as Probe;
	expect(await outcome(probe, dialect)).toBe(expected);
});

async function outcome(probe: Probe, dialect: string): Promise<Cell> {
	const data = [red, red].map((each) => ({ b64_json: Buffer.from(each).toString('base64') }));
	const upstream = await scripted(json({ created: 1, data }));
	const instance = openai.image({ baseURL: upstream.baseURL, dialect } as never);
	const model = await modelOf(instance, { images });
	if (probe.isRefused?.(model)) return '400';
	const { request, partials = 0, isSaid, otherwise = 'here' } = probe;
	const count = Math.min(request.count, model.abilities?.count ?? 1);
	try {
		const made = await make(model, { ...request, count }, { partials });
		if ((made.warnings ?? []).length > 0) return 'warning';
		return (await isSaid(upstream.got[0] as Got, dialect)) ? 'yes' : otherwise;
	} catch (error) {
		if (isPlinthError(error) && error.spec.status === 400) return '400';
		throw error;
	}
}
