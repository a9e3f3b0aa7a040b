import { isPlinthError } from '@plinth/core';
import type { ImageEditRequest, ImageModel, ImageRequest } from '@plinth/plugin-image/model';
import { expect, test } from 'vitest';
import { openai } from '../src/index.ts';
import { type Cell, cellsOf } from './features.ts';
import { modelOf } from './harness.ts';
import { codec, colors, imageRequest, inputOf, make, paint } from './pictures.ts';
import { json, scripted, type UpstreamRequest } from './upstream.ts';

const images = await codec();
const red = await images.encode(colors(4, 4, 1), { format: 'png' });
const picture = await inputOf(images, colors(8, 4, 2));
const webp = await inputOf(images, colors(8, 4, 2), 'webp');
/** Transparent on the left. */
const mask = await inputOf(
	images,
	paint(8, 4, (x) => [9, 9, 9, x < 4 ? 0 : 255]),
);

/** The request that uses a feature, and the check that the upstream received it. */
interface Probe {
	readonly request: ImageRequest | ImageEditRequest;
	readonly partials?: number;
	/** The plugin rejects the feature because of the abilities of the model. */
	isRefused?(model: ImageModel): boolean;
	isSent(request: UpstreamRequest, dialect: string): Promise<boolean> | boolean;
	/** The result when the server does not receive it. */
	readonly otherwise?: Cell;
}

const edit = (part: Partial<ImageEditRequest> = {}): ImageEditRequest => ({
	...imageRequest(),
	images: [picture],
	fidelity: 'low',
	...part,
});
const files = (request: UpstreamRequest, ...names: readonly string[]) =>
	names.flatMap((name) => request.form.getAll(name)) as File[];
const field = (request: UpstreamRequest, name: string) => request.json[name] ?? request.form.get(name);

const probes: Readonly<Record<string, Probe>> = {
	'image generation': {
		request: imageRequest(),
		isSent: ({ path, json }) => path === '/v1/images/generations' && `${json.prompt}`.startsWith('a cat'),
	},
	'image edits': {
		request: edit(),
		isSent: (request) => request.path === '/v1/images/edits' && files(request, 'image', 'image[]').length === 1,
	},
	'image edits with a mask': {
		request: edit({ mask }),
		isRefused: ({ abilities }) => abilities?.mask === false,
		async isSent(request, dialect) {
			const [file] = files(request, 'mask', 'mask_image');
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
		isSent: (request) => files(request, 'image', 'image[]').length === 2,
	},
	'WebP as input': {
		request: edit({ images: [webp], mask }),
		isSent: (request) => files(request, 'image', 'image[]')[0]?.type === 'image/webp',
	},
	'`partial_images`': {
		request: imageRequest(),
		partials: 2,
		isSent: ({ json }) => json.stream === true && json.partial_images === 2,
		otherwise: 'no',
	},
	'`n` in one call': {
		request: imageRequest({ count: 2 }),
		isSent: ({ json }) => json.n === 2,
	},
	'`size`': {
		request: imageRequest({ size: { width: 96, height: 64 } }),
		isSent: ({ json }) => json.size === '96x64',
	},
	'`output_format`, `output_compression`': {
		request: imageRequest({ format: 'webp', compression: 50 }),
		isSent: ({ json }) => json.output_format === 'webp' && json.output_compression === 50,
	},
	'`quality`': {
		request: imageRequest({ quality: 'high' }),
		isSent: ({ json }) => json.quality === 'high',
	},
	'`background: transparent`': {
		request: imageRequest({ background: 'transparent' }),
		isRefused: ({ abilities }) => abilities?.transparency === false,
		isSent: ({ json }) => json.background === 'transparent',
	},
	'`moderation`': {
		request: imageRequest({ moderation: 'low' }),
		isSent: ({ json }) => json.moderation === 'low',
	},
	'`input_fidelity`': {
		request: edit({ fidelity: 'high', mask }),
		isSent: (request) => field(request, 'input_fidelity') === 'high',
		otherwise: 'no',
	},
	'`num_inference_steps`': {
		request: imageRequest({ steps: 12 }),
		isSent: ({ json }) =>
			(json.num_inference_steps ?? json.step) === 12 ||
			`${json.prompt}`.includes('"sample_params":{"sample_steps":12}'),
	},
	'`style`': { request: imageRequest({ style: 'vivid' }), isSent: () => false },
	'equal requests get equal images': {
		request: imageRequest(),
		isSent: ({ json }) => json.seed === 7 || `${json.prompt}`.includes('{"seed":7}'),
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
	const { request, partials = 0, isSent: isSaid, otherwise = 'here' } = probe;
	const count = Math.min(request.count, model.abilities?.count ?? 1);
	try {
		const made = await make(model, { ...request, count }, { partials });
		if ((made.warnings ?? []).length > 0) return 'warning';
		return (await isSaid(upstream.requests[0] as UpstreamRequest, dialect)) ? 'yes' : otherwise;
	} catch (error) {
		if (isPlinthError(error) && error.spec.status === 400) return '400';
		throw error;
	}
}
