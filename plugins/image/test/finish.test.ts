import { describe, expect, it } from 'vitest';
import type { ImageModel, Picture } from '../src/model.ts';
import { pngEffort } from '../src/work/finish.ts';
import { answerOf, harness, pictureIn } from './harness.ts';
import { decode, file, pixels } from './pictures.ts';

type Abilities = NonNullable<ImageModel['abilities']>;

async function made(picture: Picture, fields: object = {}, abilities: Abilities = {}) {
	const h = await harness({ abilities });
	h.model.generate = async () => ({ images: [picture] });
	const answer = await answerOf(await h.generations({ ...fields }));
	return { h, answer, picture: pictureIn(answer.data[0]) };
}

const clear = pixels(64, 64, [9, 9, 9, 0]);
const solid = pixels(64, 64, [9, 9, 9, 255]);

describe('the format', () => {
	it.each([
		['png', 100, { effort: 3 }],
		['png', 0, { effort: 9 }],
		['png', 50, { effort: 6 }],
		['jpeg', 35, { quality: 35 }],
		['webp', 0, { quality: 0 }],
	])('of raw pixels is %s at compression %i', async (format, compression, options) => {
		const { picture, answer } = await made(solid, {
			output_format: format,
			output_compression: compression,
		});
		expect(picture).toMatchObject({ format, options });
		expect(answer.output_format).toBe(format);
	});

	it.each(['png', 'jpeg', 'webp'] as const)('of a %s file is unchanged, byte for byte', async (format) => {
		const body = file(format, solid);
		const { h, answer } = await made(
			{ body, mediaType: `image/${format}` },
			{ output_format: format, output_compression: 10 },
		);
		expect(Buffer.from(String(answer.data[0]?.b64_json), 'base64')).toEqual(body);
		expect(h.codec.calls).not.toContain('encode');
	});

	it('of a file in another format is converted directly when it has no alpha', async () => {
		const { h, picture } = await made(
			{ body: file('jpeg', solid), mediaType: 'image/jpeg' },
			{ output_format: 'webp', output_compression: 60 },
		);
		expect(picture).toMatchObject({ format: 'webp', options: { quality: 60 } });
		expect(h.codec.calls).toEqual(['transcode']);
	});

	it('uses more zlib effort for a lower number', () => {
		const efforts = Array.from({ length: 101 }, (_, compression) => pngEffort(compression));
		expect(efforts).toEqual(efforts.toSorted((a, b) => b - a));
	});
});

describe('the background', () => {
	it.each([
		['pixels', clear, 'transparent'],
		['opaque pixels', solid, 'opaque'],
		['a file', { body: file('png', clear), mediaType: 'image/png' }, 'transparent'],
		['a file with unused alpha', { body: file('png', solid), mediaType: 'image/png' }, 'opaque'],
		['a file without alpha', { body: file('png', solid, { hasAlpha: false }), mediaType: 'image/png' }, 'opaque'],
		['a file of another format', { body: file('webp', clear), mediaType: 'image/webp' }, 'transparent'],
	] as const)('is reported from the picture itself: %s', async (_, picture, background) => {
		const { answer, picture: shown } = await made(picture as Picture);
		expect(answer.background).toBe(background);
		expect(shown.data[3]).toBe(background === 'transparent' ? 0 : 255);
	});

	it.each([
		['pixels', clear],
		['a file', { body: file('png', clear), mediaType: 'image/png' }],
	] as const)('is filled when opaque was requested: %s', async (_, picture) => {
		const { answer, picture: shown } = await made(picture as Picture, { background: 'opaque' });
		expect([answer.background, shown.data[3], shown.options.opaque]).toEqual(['opaque', 255, true]);
	});

	it.each([
		['pixels', solid],
		['a file with unused alpha', { body: file('png', solid), mediaType: 'image/png' }],
		['a file without alpha', { body: file('png', solid, { hasAlpha: false }), mediaType: 'image/png' }],
		['a JPEG', { body: file('jpeg', solid), mediaType: 'image/jpeg' }],
	] as const)(
		'has an alpha channel when transparent was requested, with a warning when it is opaque: %s',
		async (_, made_) => {
			const { answer, picture: shown } = await made(made_ as Picture, { background: 'transparent' });
			expect([answer.background, shown.format, shown.hasAlpha]).toEqual(['opaque', 'png', true]);
			expect(answer.warnings).toEqual(['The model made no transparent background.']);
		},
	);

	it('of a JPEG is opaque', async () => {
		const { answer } = await made(clear, { output_format: 'jpeg' });
		expect(answer.background).toBe('opaque');
	});
});

describe('the size', () => {
	const sizes = [
		{ width: 1024, height: 1024 },
		{ width: 512, height: 512 },
		{ width: 1536, height: 1024 },
	];
	it.each([
		['1024x1024', '1024x1024', []],
		['256x256', '512x512', ['fit cover']],
		['768x512', '1536x1024', ['fit cover']],
		['3072x1024', '1536x1024', ['fit cover']],
		['auto', undefined, []],
	])('%s is requested as %s when the model lists sizes', async (size, asked, steps) => {
		const h = await harness({ abilities: { sizes, fit: 'cover' } });
		const answer = await answerOf(await h.generations({ size }));
		const { width, height } = h.calls[0]?.request.size ?? {};
		expect(asked && `${width}x${height}`).toBe(asked);
		expect(answer.size).toBe(size === 'auto' ? '64x48' : size);
		expect(h.codec.calls.filter((step) => step.startsWith('fit'))).toEqual(steps);
		expect(answer.warnings).toBeUndefined();
	});

	it('of a file is changed while it is encoded again', async () => {
		const body = file('jpeg', solid);
		const { h, answer } = await made(
			{ body, mediaType: 'image/jpeg' },
			{ output_format: 'jpeg', size: '128x64' },
			{ fit: 'fill' },
		);
		expect([answer.size, h.codec.calls]).toEqual(['128x64', ['transcode']]);
	});

	it('of a contained picture is padded with transparency, and reported', async () => {
		const body = file('png', solid, { hasAlpha: false });
		const part = { body, mediaType: 'image/png' } as const;
		const { answer } = await made(part, { size: '128x64' }, { fit: 'contain' });
		expect(answer).toMatchObject({ size: '128x64', background: 'transparent' });
		const opaque = { size: '128x64', background: 'opaque' };
		expect((await made(part, opaque, { fit: 'contain' })).answer.background).toBe('opaque');
	});

	it('that the model made by mistake is fitted, or reported with a warning', async () => {
		const fitted = await made(solid, { size: '128x128' }, { fit: 'cover' });
		expect(fitted.answer).toMatchObject({ size: '128x128' });
		expect(fitted.answer.warnings).toBeUndefined();
		const left = await made(solid, { size: '128x128' });
		expect(left.answer.size).toBe('64x64');
		expect(left.answer.warnings).toEqual([expect.stringContaining('64x64')]);
		expect(decode(Buffer.from(String(left.answer.data[0]?.b64_json), 'base64')).width).toBe(64);
	});
});
