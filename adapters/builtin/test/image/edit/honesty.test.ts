import { describe, expect, it } from 'vitest';
import { copy, solid } from '../../../src/image/edit/bitmap.ts';
import { planEdit } from '../../../src/image/edit/plan.ts';
import { edit, paint, pixel, scene, subject } from './pictures.ts';

const nothing = 'Applied: nothing; the picture is unchanged.';

describe('what is said after the work', () => {
	it.each([
		['grayscale', 'grayscale'],
		['replace red with blue', 'replace red with blue'],
		['trim', 'trim'],
		['crop 8:6', 'crop 8:6, centre'],
		['make crimson transparent', 'transparent crimson'],
		['rotate 360', 'rotate 0°'],
	])('does not list “%s” as applied where it changes nothing', async (prompt, named) => {
		const grey = solid(16, 12, [90, 90, 90]);
		paint(grey, 0, 0, 1, 1, [20, 20, 20]);
		const { picture, said } = await edit(prompt, copy(grey));
		expect(said).toBe(`${nothing} Not done: ${named} (it changes nothing in this picture).`);
		expect(picture.data).toEqual(grey.data);
	});

	it('tells what was done from what was not, in one prompt', async () => {
		const { said } = await edit('invert, replace lime with red, blur 2', scene());
		expect(said).toBe(
			'Applied: invert; blur 2 px. Not done: replace lime with red (it changes nothing in this picture).',
		);
	});

	it('says that a picture has the wanted size already', async () => {
		const { said } = await edit('resize to 64x48', scene());
		expect(said).toBe(`${nothing} Not done: resize 64x48 (the picture has that size).`);
	});

	it('says that only the size was made when nothing else was', async () => {
		const { said, plan } = await edit('unicorn', scene(), { size: { width: 32, height: 24 } });
		expect(plan.warnings.join()).not.toContain('unchanged');
		expect(said).toBe('Applied: only the size. Not understood: “unicorn”.');
	});

	it('does not count what happens behind the mask', async () => {
		const keep = new Uint8Array(64 * 48).fill(255);
		const all = await edit('invert', scene(), { keep });
		expect(all.said).toBe(`${nothing} Not done: invert (the mask protects everything).`);
		expect(all.picture.data).toEqual(scene().data);
		keep.fill(0, 64 * 20 + 10, 64 * 20 + 20);
		const inside = await edit('red border 2 px', scene(), { keep });
		expect(inside.said).toContain('Not done: border 2 px red (it changes nothing');
		expect((await edit('invert', scene(), { keep })).said).toBe('Applied: invert.');
	});

	it('is what was done at low quality too', async () => {
		const once = await edit('denoise', scene(), { fast: true });
		const often = await edit('denoise 5', scene(), { fast: true });
		expect(often.said).toBe('Applied: denoise 5 times.');
		expect(often.picture.data).not.toEqual(once.picture.data);
	});

	it('is not the whole watermark when that is too long', async () => {
		const long = await edit(`watermark "${'a'.repeat(61)}"`, scene());
		expect(long.notes).toEqual(['The text was shortened to fit.']);
		expect((await edit(`watermark "${'a'.repeat(60)}"`, scene())).notes).toEqual([]);
	});

	it('says that the background cannot be told, and leaves the picture', async () => {
		const busy = scene();
		for (let i = 0; i < busy.data.length; i++) {
			if (i % 4 !== 3) busy.data[i] = ((i * 2_654_435_761) >>> 7) & 255;
		}
		const { said, picture } = await edit('grayscale the background', copy(busy));
		expect(said).toContain('Not done: grayscale (background only) (the background cannot be told');
		expect(picture.data).toEqual(busy.data);
	});
});

describe('a place', () => {
	const where = async (prompt: string) => {
		const before = scene();
		const { picture, said } = await edit(prompt, copy(before));
		const at = (x: number, y: number): boolean => pixel(picture, x, y).join() !== pixel(before, x, y).join();
		const marks = [at(1, 1), at(32, 1), at(62, 1), at(1, 24), at(32, 24), at(62, 24)];
		const foot = [at(1, 46), at(32, 46), at(62, 46)];
		return { said, map: [...marks, ...foot].map((is) => (is ? 'x' : '.')).join('') };
	};

	it.each([
		['invert the left half', 'x..x..x..', 'left half'],
		['invert the right third', '..x..x..x', 'right third'],
		['darken the top', 'xxx......', 'top'],
		['brighten the lower half', '...xxxxxx', 'lower half'],
		['grayscale the bottom right corner', '........x', 'bottom right corner'],
		['sepia in the centre', '....x....', 'centre'],
		['darken the edges of the photo', '', ''],
		['invert the edges', 'xxxx.xxxx', 'edges'],
		['make the left half blue', 'x..x..x..', 'left half'],
		['pixelate the upper left quarter', 'x........', 'upper left quarter'],
		['turn the left half into a negative', 'x..x..x..', 'left half'],
	])('restricts “%s”', async (prompt, map, name) => {
		if (map === '') return expect((await edit(prompt, scene())).said).toContain('vignette');
		const found = await where(prompt);
		expect(found.map).toBe(map);
		expect(found.said).toContain(`(${name} only)`);
	});

	it('keeps everything outside byte for byte', async () => {
		const before = scene();
		const { picture } = await edit('blur 5 the left half', copy(before));
		for (let y = 0; y < 48; y++) {
			const [from, to] = [(y * 64 + 32) * 4, (y + 1) * 64 * 4];
			expect(picture.data.subarray(from, to)).toEqual(before.data.subarray(from, to));
		}
	});

	it.each([
		['make the sky darker', 'brightness −25 %', 'sky'],
		['darken the sky', 'brightness −25 %', 'sky'],
		['blur faces', 'blur 4 px', 'faces'],
		['brighten her face', 'brightness +25 %', 'her face'],
		['increase the contrast of the old car', 'contrast +25 %', 'old car'],
		['crop to the face', 'crop 80 %, centre', 'face'],
		['fill the car with red', 'fill red', 'car'],
		['make hair darker', 'brightness −25 %', 'hair'],
	])('that nobody can find makes “%s” impossible', async (prompt, named, target) => {
		const before = scene();
		const { picture, said } = await edit(prompt, copy(before));
		expect(said).toBe(`${nothing} Not done: ${named} (cannot find “${target}” in a picture).`);
		expect(picture.data).toEqual(before.data);
	});

	it.each([
		['make the car red', '“car red”'],
		['make the sky blue', '“sky blue”'],
		['turn the grass green', '“grass green”'],
	])('that nobody can find is reported for “%s”', async (prompt, words) => {
		const { picture, said } = await edit(prompt, scene());
		expect(said).toBe(`${nothing} Not understood: ${words}.`);
		expect(picture.data).toEqual(scene().data);
	});

	it.each([
		'make it super bright',
		'sharpen for the web',
		'sepia like in the old days',
		'make the whole scene brighter',
		'give it a moody noir look',
		'give it the cozy warm look',
		'vintage look of the seventies',
		'saturate to the max',
		'remove the background behind the dog',
		'add text "Hi" on the car',
		'make the mood warmer',
	])('is not meant by “%s”', (prompt) => {
		const { steps } = planEdit({
			prompt,
			sizes: [{ width: 64, height: 48 }],
			masked: false,
			fidelity: 'high',
		});
		expect(steps).toHaveLength(1);
	});

	it('may be named beside a mask, which shows it', async () => {
		const keep = new Uint8Array(64 * 48).fill(255).fill(0, 0, 64);
		const { said, picture } = await edit('darken the sky', scene(), { keep });
		expect(said).toBe('Applied: brightness −25 %. Not understood: “sky”.');
		expect(pixel(picture, 5, 0)).not.toEqual(pixel(scene(), 5, 0));
	});
});

describe('a mask that is not there', () => {
	it.each([
		['fill the masked area with red', 'fill red'],
		['blur the selected region', 'blur 4 px'],
		['invert this area', 'invert'],
		['erase', 'erase'],
	])('makes “%s” impossible', async (prompt, named) => {
		const before = subject();
		const { picture, said } = await edit(prompt, copy(before));
		expect(said).toContain(`${nothing} Not done: ${named} (`);
		expect(said).toContain('mask');
		expect(picture.data).toEqual(before.data);
	});
});

describe('pictures that are joined', () => {
	it.each(['collage', 'side by side', 'stack'])(
		'stay small together where the inputs need not be kept closely: %s',
		(prompt) => {
			const sizes = Array.from({ length: 16 }, () => ({ width: 4176, height: 4176 }));
			const plan = planEdit({ prompt, sizes, masked: false, fidelity: 'low' });
			const pixels = [plan.base, ...plan.pictures].reduce((sum, { width, height }) => sum + width * height, 0);
			expect(pixels).toBeLessThan(1_572_864);
			expect(pixels).toBeGreaterThan(prompt === 'collage' ? 1_300_000 : 700_000);
			expect(plan.steps).toHaveLength(1);
		},
	);
});
