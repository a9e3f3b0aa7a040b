import { modelError, unsupportedValue } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import type { ImageModel, ImageRequest, ImageRun, Picture } from '../src/model.ts';
import { type ImageModelSuiteOptions, imageModelSuite } from '../src/testing/index.ts';
import { fakeCodec, file, pixels } from './pictures.ts';

type Generate = NonNullable<ImageModel['generate']>;
type Edit = NonNullable<ImageModel['edit']>;

const images = fakeCodec();
const all = { deterministic: true, transparency: true, mask: true, partials: true };

/** Waits briefly, or until the signal aborts. */
function pause({ signal }: ImageRun): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal.aborted) return reject(signal.reason);
		const timer = setTimeout(resolve, 3);
		signal.addEventListener('abort', () => {
			clearTimeout(timer);
			reject(signal.reason);
		});
	});
}

async function show(run: ImageRun, picture: Picture): Promise<void> {
	for (let count = 0; count < run.partials; count++) {
		await pause(run);
		run.partial(picture);
	}
	await pause(run);
}

function canvas({ size = { width: 96, height: 64 }, background }: ImageRequest, seed: number) {
	const alpha = background === 'transparent' ? 0 : 255;
	return pixels(size.width, size.height, [seed & 255, 8, 9, alpha]);
}

const generate: Generate = async (request, run) => {
	if (request.prompt.trim() === '') throw unsupportedValue('prompt', 'There is nothing to draw.');
	await show(run, canvas(request, run.seed));
	return {
		images: Array.from({ length: request.count }, (_, index) => canvas(request, run.seed + index)),
	};
};

const edit: Edit = async (request, run) => {
	const { mask, size } = request;
	const [first] = request.images;
	const fit = {
		...(size ?? { width: first?.width ?? 1, height: first?.height ?? 1 }),
		mode: 'fill',
	} as const;
	const image = await images.fit(first?.source ?? new Uint8Array(), fit);
	const open = mask && (await images.fit(mask.source, fit));
	await show(run, image);
	const data = image.data.map((value, at) => {
		const isProtected = open && open.data[at - (at % 4) + 3] === 255;
		return at % 4 === 3 || isProtected ? value : 255 - value;
	});
	return { images: Array.from({ length: request.count }, () => ({ ...fit, data })) };
};

function suiteOf(model: Partial<ImageModel>, supports: NonNullable<ImageModelSuiteOptions['supports']> = all) {
	const whole: ImageModel = { apiVersion: 1, generate, edit, ...model };
	const create = async () => ({ model: whole, close: async () => {} });
	return imageModelSuite({ create, images, supports });
}

/** Runs the case with this name. */
async function runCase(cases: ReturnType<typeof suiteOf>, name: string): Promise<void> {
	const found = cases.find((one) => one.name === name);
	if (!found) throw new Error(`There is no case "${name}", only:\n${cases.map((c) => c.name).join('\n')}`);
	await found.run();
}

describe('a correct model passes the case:', () => {
	for (const { name, run } of suiteOf({ abilities: { count: 4 } })) it(name, run);
});

describe('a model with few abilities passes the case:', () => {
	const { generate: _, ...rest } = { generate, edit };
	const create = async () => ({
		model: { apiVersion: 1 as const, ...rest },
		close: async () => {},
	});
	const cases = imageModelSuite({ create, images, supports: { generate: false } });
	for (const { name, run } of cases) it(name, run);

	it('and there is no case for an ability that it lacks', () => {
		expect(cases.length).toBeLessThan(suiteOf({}).length / 2 + 2);
	});
});

/** A model that changes the result of the correct one. */
function changed(change: (result: Awaited<ReturnType<Generate>>, run: ImageRun) => unknown): Generate {
	return async (request, run) => change(await generate(request, run), run) as never;
}

const hang = () => new Promise<never>(() => {});
let counter = 0;

const wrong: readonly (readonly [string, Partial<ImageModel>, string])[] = [
	['declares another version', { apiVersion: 2 as never }, 'the model declares the version of its interface'],
	[
		'returns another size',
		{ generate: changed(() => ({ images: [pixels(8, 8)] })) },
		'generate: a picture has the requested size',
	],
	[
		'declares a wrong media type',
		{
			generate: changed(() => ({
				images: [{ body: file('jpeg', pixels(1, 1)), mediaType: 'image/png' }],
			})),
		},
		'generate: a picture can be decoded and has its declared media type',
	],
	[
		'returns damaged files',
		{
			generate: changed(() => ({
				images: [
					{
						body: Buffer.concat([file('png', pixels(1, 1)), Buffer.from('DAMAGED')]),
						mediaType: 'image/png',
					},
				],
			})),
		},
		'generate: a picture can be decoded and has its declared media type',
	],
	[
		'returns too few pictures',
		{ abilities: { count: 3 }, generate: changed(({ images: [first] }) => ({ images: [first] })) },
		'generate: pictures and withheld ones add up to the requested count',
	],
	[
		'counts withheld pictures twice',
		{ generate: changed((result) => ({ ...result, filtered: 1 })) },
		'generate: pictures and withheld ones add up to the requested count',
	],
	[
		'ignores its seed',
		{ generate: (request, run) => generate(request, { ...run, seed: ++counter }) },
		'generate: equal seeds make equal pictures',
	],
	[
		'uses the same seed for all requests',
		{ generate: (request, run) => generate(request, { ...run, seed: 3 }) },
		'generate: different seeds make different pictures',
	],
	[
		'paints an opaque background',
		{ generate: (request, run) => generate({ ...request, background: 'opaque' }, run) },
		'generate: a transparent background has pixels with alpha 0',
	],
	[
		'chatters',
		{ generate: (request, run) => generate(request, { ...run, partials: run.partials + 1 }) },
		'generate: partial images are valid, and at most as many as requested',
	],
	[
		'emits partial images that were not requested',
		{ generate: (request, run) => generate(request, { ...run, partials: 1 }) },
		'generate: no partial images are emitted when none are requested',
	],
	[
		'emits an invalid partial image',
		{
			generate: (request, run) => {
				if (run.partials > 0) run.partial({ width: 5, height: 5, data: new Uint8Array(3) });
				return generate(request, { ...run, partials: 0 });
			},
		},
		'generate: partial images are valid, and at most as many as requested',
	],
	[
		'emits no partial images',
		{ generate: (request, run) => generate(request, { ...run, partials: 0 }) },
		'generate: partial images are emitted when they are requested',
	],
	['ignores an abort', { generate: hang }, 'generate: an abort rejects within a second, with the reason of the signal'],
	[
		'returns its pictures after an abort',
		{
			edit: async (request, run) => {
				const result = await edit(request, { ...run, signal: new AbortController().signal });
				return result;
			},
		},
		'edit: an abort rejects within a second, with the reason of the signal',
	],
	[
		'rejects an abort with another error',
		{
			generate: (request, run) => generate(request, run).catch(() => Promise.reject(modelError('Stopped.'))),
		},
		'generate: an abort rejects within a second, with the reason of the signal',
	],
	[
		'ignores an aborted signal',
		{
			generate: (_, { signal }) =>
				new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
		},
		'generate: a call with an aborted signal ends immediately',
	],
	[
		'emits partial images after an abort',
		{
			generate: (request, run) => generate(request, { ...run, signal: new AbortController().signal }),
		},
		'generate: no partial images are emitted after an abort',
	],
	[
		'rejects without an error code',
		{
			generate: async (request, run) => {
				if (request.steps === 50) throw new Error('steps');
				return generate(request, run);
			},
		},
		'generate: an unusual request succeeds, or is rejected with a 4xx status',
	],
	[
		'changes its input pictures',
		{
			edit: async (request, run) => {
				(await request.images[0]?.bytes())?.fill(0, 100);
				return edit({ ...request, images: request.images }, run);
			},
		},
		'edit: the model does not change the bytes of the input pictures',
	],
	[
		'accepts only one picture, without a declaration',
		{
			edit: async (request, run) => {
				if (request.images.length > 1) throw new Error('one only');
				return edit(request, run);
			},
		},
		'edit: three pictures are accepted, or fewer if the abilities say so',
	],
	[
		'fails for a damaged picture',
		{
			edit: (request, run) =>
				edit(request, run).catch((error: unknown) =>
					Promise.reject(run.signal.aborted ? error : new Error('unexpected end of file')),
				),
		},
		'edit: a damaged picture is rejected with a 4xx status',
	],
	[
		'ignores the mask',
		{ edit: ({ mask: _, ...request }, run) => edit(request, run) },
		'edit: pixels outside the mask are unchanged at high fidelity',
	],
];

describe('the suite detects a model that', () => {
	it.each(wrong)('%s', async (_, model, name) => {
		await expect(runCase(suiteOf(model), name)).rejects.toThrow();
		await runCase(suiteOf({ abilities: { count: 3 } }), name);
	});

	it('declares transparent backgrounds and paints opaque ones', async () => {
		const name = 'generate: a transparent background has pixels with alpha 0';
		const opaque: Generate = (request, run) => generate({ ...request, background: 'opaque' }, run);
		await expect(runCase(suiteOf({ generate: opaque }), name)).rejects.toThrow('no pixel');
		await runCase(suiteOf({ generate }), name);
		const names = suiteOf({ generate: opaque }, {}).map((one) => one.name);
		expect(names).not.toContain(name);
	});

	it('has a method that it does not declare', async () => {
		const cases = suiteOf({}, { generate: false });
		const name = 'generate: the model has no method for an unsupported operation';
		await expect(runCase(cases, name)).rejects.toThrow();
	});
});
