import { describe, expect, it } from 'vitest';
import { applyJob } from '../../../src/image/edit/apply.ts';
import { copy, solid } from '../../../src/image/edit/bitmap.ts';
import type { EditJob } from '../../../src/image/edit/jobs.ts';
import { planEdit } from '../../../src/image/edit/plan.ts';
import { createRandom } from '../../../src/scene/random.ts';
import { changed, edit, pixel, scene, subject } from './pictures.ts';

/** Protects the left half, opens the right one, with one mixed column between. */
function rightHalf(width: number, height: number): Uint8Array {
	const keep = new Uint8Array(width * height);
	for (let y = 0; y < height; y++) {
		keep.fill(255, y * width, y * width + width / 2);
		keep[y * width + width / 2] = 128;
	}
	return keep;
}

describe('a mask', () => {
	it('keeps every byte where it is opaque, mixes where it is soft, and opens the rest', async () => {
		const before = scene();
		const { picture } = await edit('invert and blur 3', before, { keep: rightHalf(64, 48) });
		for (let y = 0; y < 48; y++) {
			const row = y * 64 * 4;
			expect(picture.data.subarray(row, row + 128)).toEqual(before.data.subarray(row, row + 128));
		}
		expect(pixel(picture, 60, 5)).not.toEqual(pixel(before, 60, 5));
		const plain = await edit('invert', before);
		const half = await edit('invert', before, { keep: rightHalf(64, 48) });
		const [a = 0, b = 0] = [pixel(before, 32, 5)[0], pixel(plain.picture, 32, 5)[0]];
		expect(pixel(half.picture, 32, 5)[0]).toBeCloseTo((a * 128 + b * 127) / 255, 0);
	});

	it('keeps transparent pixels as they are, colour included', async () => {
		const before = solid(8, 8, [9, 8, 7, 0]);
		const { picture } = await edit('fill red', before, { keep: new Uint8Array(64).fill(255) });
		expect(picture.data).toEqual(before.data);
	});
});

describe('sizes', () => {
	it('are those of the picture when none is asked for', async () => {
		const { picture } = await edit('sepia', scene(50, 31));
		expect([picture.width, picture.height]).toEqual([50, 31]);
	});

	it('that are asked for are made first, so that nothing drawn is cropped', async () => {
		const { picture, plan } = await edit('red border 3 px', scene(64, 48), {
			size: { width: 32, height: 32 },
		});
		expect(plan.base).toEqual({ width: 32, height: 32 });
		for (const [x, y] of [
			[0, 0],
			[31, 0],
			[0, 31],
			[31, 31],
		] as const) {
			expect(pixel(picture, x, y)).toEqual([255, 0, 0, 255]);
		}
	});

	it('that operations set are fitted into the one that is asked for, on the colour of the border', async () => {
		const size = { width: 40, height: 40 };
		const { picture } = await edit('rotate 90', solid(60, 30, [10, 200, 30]), { size });
		expect([picture.width, picture.height]).toEqual([40, 40]);
		expect(pixel(picture, 1, 20)).toEqual([10, 200, 30, 255]);
		const clear = await edit('rotate 90', scene(60, 30), { size, background: 'transparent' });
		expect(pixel(clear.picture, 1, 20)[3]).toBe(0);
		expect(pixel(clear.picture, 20, 20)[3]).toBe(255);
	});

	it('of large pictures are bounded, lower where the input need not be kept closely', () => {
		const wish = { prompt: 'sepia', sizes: [{ width: 6000, height: 4000 }], masked: false };
		const [low, high] = [planEdit({ ...wish, fidelity: 'low' }), planEdit({ ...wish, fidelity: 'high' })];
		expect(low.base.width * low.base.height).toBeLessThanOrEqual(1_572_864);
		expect(high.base.width * high.base.height).toBeLessThanOrEqual(8_294_400);
		expect(low.base.width / low.base.height).toBeCloseTo(1.5, 2);
		expect(low.warnings.join()).toContain('made smaller, from 6000x4000');
		const huge = planEdit({ ...wish, prompt: 'resize 90000x90000', fidelity: 'low' });
		expect(huge.base).toEqual({ width: 2880, height: 2880 });
		expect(huge.warnings.join()).toContain('limited');
		const padded = planEdit({ ...wish, prompt: 'pad 200%', fidelity: 'high' });
		expect(padded.warnings.join()).toContain('limited');
	});

	it('of a resize at the beginning are decoded at once, without work on pixels', async () => {
		const { plan } = await edit('resize to 50%', scene());
		expect(plan).toMatchObject({ base: { width: 32, height: 24 }, steps: [] });
	});
});

describe('backgrounds', () => {
	it('are white behind the result when they have to be opaque', async () => {
		const { picture } = await edit('circle', scene(), { background: 'opaque' });
		expect(pixel(picture, 0, 0)).toEqual([255, 255, 255, 255]);
	});

	it('that cannot be told from the subject stay, and that is said', async () => {
		const [picture, random] = [scene(), createRandom(3)];
		for (let i = 0; i < picture.data.length; i++) if (i % 4 !== 3) picture.data[i] = random.int(0, 255);
		const { said, picture: made } = await edit('make the background blue', copy(picture));
		expect(said).toBe(
			'Applied: nothing; the picture is unchanged. Not done: background blue (hardly anything hangs together with the border in colour).',
		);
		expect(made.data).toEqual(picture.data);
	});

	it('alone change when the prompt says so', async () => {
		const before = subject();
		const { picture } = await edit('invert the background', before);
		expect(pixel(picture, 2, 2)).toEqual([0, 0, 0, 255]);
		expect(pixel(picture, 32, 24)).toEqual(pixel(before, 32, 24));
		const other = await edit('make the subject grayscale', before);
		expect(pixel(other.picture, 2, 2)).toEqual(pixel(before, 2, 2));
		expect(pixel(other.picture, 32, 24)[0]).toBe(pixel(other.picture, 32, 24)[1]);
	});
});

describe('unfinished states', () => {
	it('are those between the operations', async () => {
		const before = scene();
		const { states, picture } = await edit('grayscale, blur 4, invert', before, { partials: 2 });
		expect(states).toHaveLength(2);
		expect(states[0]?.data).toEqual((await edit('grayscale', before)).picture.data);
		expect(states[1]?.data).toEqual((await edit('grayscale, blur 4', before)).picture.data);
		expect(picture.data).not.toEqual(states[1]?.data);
	});

	it('of a single operation are smaller results, and leave the real one as it is', async () => {
		const before = scene();
		const { states, picture } = await edit('invert', before, { partials: 3 });
		expect(states.map(({ width, height }) => `${width}x${height}`)).toEqual(['16x12', '32x24']);
		expect(picture.data).toEqual((await edit('invert', before)).picture.data);
		const [r = 0] = pixel(states[1] ?? before, 0, 0);
		expect(Math.abs(r - (pixel(picture, 0, 0)[0] as number))).toBeLessThan(6);
	});

	it('keep to the mask', async () => {
		const { states } = await edit('invert', scene(), {
			partials: 1,
			keep: new Uint8Array(64 * 48).fill(255),
		});
		const plain = await edit('opacity 100%', scene(), { partials: 1 });
		expect(states[0]?.data).toEqual(plain.states[0]?.data);
	});
});

describe('the work', () => {
	it('gives equal pixels for equal seeds, and others for others', async () => {
		const one = await edit('glitch, add noise', scene(), { seed: 1 });
		expect((await edit('glitch, add noise', scene(), { seed: 1 })).picture.data).toEqual(one.picture.data);
		expect((await edit('glitch, add noise', scene(), { seed: 2 })).picture.data).not.toEqual(one.picture.data);
	});

	it('stops when it is told to', async () => {
		const job: EditJob = {
			kind: 'edit',
			picture: scene(),
			pictures: [],
			steps: [{ verb: 'denoise', args: { passes: 5 }, pictures: [] }],
			seed: 1,
			fast: false,
			background: 'auto',
			partials: 0,
		};
		let calls = 0;
		const check = (): void => {
			if (++calls > 3) throw new Error('stopped');
		};
		await expect(applyJob(job, { check, report: () => {} })).rejects.toThrow('stopped');
	});

	it('writes what the typefaces have, and says what they lack', async () => {
		const before = solid(128, 96, [20, 30, 60]);
		const { picture, notes } = await edit('text "Hi 🦄"', copy(before));
		expect(changed(picture, before)).toBeGreaterThan(0);
		expect(notes.join()).toContain('leaves out characters');
	});
});

describe('long work', () => {
	it.each([
		'zoom 200%',
		'stack',
		'collage',
		'drop shadow',
		'oil painting 6 px',
		'halftone',
		'remove the background',
		'blur the background',
		'frame',
		'resize 60x900',
	])('looks every few rows whether it is to stop: %s', async (prompt) => {
		const sizes = [
			{ width: 48, height: 1024 },
			{ width: 48, height: 1024 },
		];
		const plan = planEdit({ prompt: `hue 1, ${prompt}`, sizes, masked: false, fidelity: 'high' });
		let calls = 0;
		const job: EditJob = {
			kind: 'edit',
			picture: scene(plan.base.width, plan.base.height),
			pictures: plan.pictures.map(({ width, height }) => scene(width, height)),
			steps: plan.steps.slice(-1),
			seed: 1,
			fast: false,
			background: 'auto',
			partials: 0,
		};
		await applyJob(job, { check: () => calls++, report: () => {} });
		expect(calls).toBeGreaterThan(10);
	});
});

describe('a mask with a small opening', () => {
	const keep = new Uint8Array(300 * 200).fill(255);
	for (let y = 90; y < 110; y++) keep.fill(0, y * 300 + 140, y * 300 + 170);

	it('gives the same as work on the whole picture', async () => {
		const before = scene(300, 200);
		const { picture } = await edit('grayscale and blur 3', copy(before), { keep });
		const whole = await edit('grayscale and blur 3', copy(before));
		for (let y = 0; y < 200; y += 3) {
			for (let x = 0; x < 300; x += 3) {
				const isOpen = keep[y * 300 + x] === 0;
				const expected = pixel(isOpen ? whole.picture : before, x, y);
				expect(pixel(picture, x, y)).toEqual(expected);
			}
		}
	});

	it('shows unfinished states of the whole picture', async () => {
		const before = scene(300, 200);
		const { states } = await edit('grayscale and blur 3', copy(before), { keep, partials: 1 });
		expect(states.map(({ width, height }) => `${width}x${height}`)).toEqual(['300x200']);
		expect(pixel(states[0] ?? before, 2, 2)).toEqual(pixel(before, 2, 2));
		const [r, g] = pixel(states[0] ?? before, 150, 100);
		expect(r).toBe(g);
	});
});
