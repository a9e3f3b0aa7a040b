import { describe, expect, it } from 'vitest';
import { copy, solid } from '../../../src/image/edit/bitmap.ts';
import { type EditWish, planEdit } from '../../../src/image/edit/plan.ts';
import { revisedPrompt } from '../../../src/image/edit/report.ts';
import { edit, paint, pixel, scene, subject } from './pictures.ts';

const sizes = [{ width: 400, height: 300 }];

function plan(prompt: string, changes: Partial<EditWish> = {}) {
	return planEdit({ prompt, sizes, masked: false, fidelity: 'high', ...changes });
}

function said(prompt: string): string {
	const { report, steps } = plan(prompt);
	return revisedPrompt(report, steps.length)
		.replace(/^Applied: nothing; the picture is unchanged\. /, '')
		.replace(/^Applied: /, '')
		.replace(/\.$/, '');
}

const inseparable = 'cannot take away what is in the picture';

describe('what is asked for the other way round', () => {
	it.each([
		['flip upside down', 'flip vertical'],
		['flip it upside down', 'flip vertical'],
		['flip upside-down', 'flip vertical'],
		['mirror it upside down', 'mirror vertical'],
		['rotate it upside down', 'rotate 180°'],
		['turn it upside down', 'rotate 180°'],
	])('is one turn: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});

	it.each([
		['less blurry', 'sharpen 80 %'],
		['make it a bit less blurry', 'sharpen 40 %'],
		['reduce the blur', 'sharpen 80 %'],
		['remove the blur', 'sharpen 80 %'],
		['fix the blur', 'sharpen 80 %'],
		['blur it less', 'sharpen 80 %'],
		['less sharp', 'blur 1 px'],
		['less grain', 'denoise'],
		['less noisy', 'denoise'],
		['less sepia', `Not done: less sepia (${inseparable})`],
		['less vignette', `Not done: less vignette (${inseparable})`],
		['make it less red', `Not done: less red (${inseparable})`],
		['add a less thick border', 'border 1.5 % black'],
		['blur around the center', 'blur 4 px (all but the center only)'],
		['crop out the left 20%', 'crop 20 % off the left'],
		['remove the background noise', 'denoise'],
		['less background blur', `Not done: less background blur (${inseparable})`],
		['remove the watermark', `Not done: remove watermark (${inseparable})`],
	])('is never the effect itself: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});

	it.each([
		['remove noise and grain', 'denoise'],
		['remove noise, grain and blur', 'denoise; sharpen 80 %'],
		['remove the noise and the vignette', `denoise. Not done: remove vignette (${inseparable})`],
		['remove blur and noise', 'sharpen 80 %; denoise'],
		['reduce blur and noise', 'sharpen 80 %; denoise'],
		['remove the background and the shadow', `remove background. Not done: remove shadow (${inseparable})`],
	])('holds for a whole list: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});

	it.each([
		['reduce noise and sharpen', 'denoise; sharpen 80 %'],
		['remove the background and blur it', 'remove background; blur 4 px'],
		['remove the background and add a shadow', 'remove background; shadow 60 %'],
		['lower the saturation and blur', 'saturation −35 %; blur 4 px'],
		['reduce the opacity to 30%', 'opacity 30 %'],
		['darken the lower half', 'brightness −25 % (lower half only)'],
		['fix white balance', 'white balance'],
		['less blur, slightly', 'sharpen 80 %. Not understood: “slightly”'],
	])('does not reach further: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});
});

describe('a complaint', () => {
	it.each([
		['too dark', 'brightness +25 %'],
		['too bright', 'brightness −25 %'],
		['the picture is too dark, please fix', 'brightness +25 %'],
		['it looks too dark', 'brightness +25 %'],
		["it's too dark, make it brighter", 'brightness +25 %'],
		['too dark, brighten by 10%', 'brightness +10 %'],
		['not bright enough', 'brightness +25 %'],
		["it isn't sharp enough", 'sharpen 80 %'],
		['not enough contrast', 'contrast +25 %'],
		['too much contrast', 'contrast −25 %'],
		['the contrast is too low', 'contrast +25 %'],
		['too blurry', 'sharpen 80 %'],
		['too colourful', 'saturation −35 %'],
		['too saturated', 'saturation −35 %'],
		['too warm', 'temperature −40 %'],
		['too cool', 'temperature +40 %'],
		['too dark and blurry', 'brightness +25 %; sharpen 80 %'],
		['too dark and warm', 'brightness +25 %; temperature −40 %'],
	])('is remedied: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});

	it.each([
		['blur it, but not too much', 'blur 2 px'],
		['sharpen not too strongly', 'sharpen 40 %'],
		['half the brightness', 'brightness −50 %'],
		['twice as bright', 'brightness +100 %'],
	])('may say how much: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});

	it.each(['Too much love', 'Not good enough', 'less is more'])('is not what is to be written: %s', (text) => {
		expect(said(`write ${text} at the top`)).toBe(`text “${text}” at the top`);
	});

	it('is not meant by a “too” that says “also”', () => {
		expect(said('blur it too and add a border')).toBe('blur 4 px; border 3 % black');
		expect(said('make it blue too')).toBe('tint blue 60 %');
	});
});

describe('everything but a place', () => {
	it.each([
		['blur everything except the center', 'blur 4 px (all but the center only)'],
		['blur all but the middle', 'blur 4 px (all but the middle only)'],
		['blur outside the center', 'blur 4 px (all but the center only)'],
		['grayscale everything except for the left half', 'grayscale (all but the left half only)'],
		['darken everywhere but the top', 'brightness −25 % (all but the top only)'],
		['blur all apart from the middle', 'blur 4 px (all but the middle only)'],
		['blur it but not the center', 'blur 4 px (all but the center only)'],
		['blur the whole image but the bottom third', 'blur 4 px (all but the bottom third only)'],
		['sharpen everything except the edges', 'sharpen 80 % (all but the edges only)'],
		['blur everything except the subject', 'blur 4 px (background only)'],
	])('is the rest: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});

	it('is what changes', async () => {
		const { picture } = await edit('invert everything except the left half', scene());
		expect(pixel(picture, 5, 5)).toEqual(pixel(scene(), 5, 5));
		expect(pixel(picture, 60, 5)).not.toEqual(pixel(scene(), 60, 5));
	});
});

describe('sizes', () => {
	it.each([
		['enlarge by 50%', 'resize 150 %'],
		['enlarge 150%', 'resize 150 %'],
		['enlarge by 2', 'resize 200 %'],
		['shrink by 20%', 'resize 80 %'],
		['reduce the size by 30%', 'resize 70 %'],
		['make it 20% smaller', 'resize 80 %'],
		['make it 20% larger', 'resize 120 %'],
		['make it half as big', 'resize 50 %'],
		['twice as large', 'resize 200 %'],
		['scale down to 30%', 'resize 30 %'],
		['scale to 50%', 'resize 50 %'],
		['shrink to 200 px', 'resize longer side 200'],
		['make it 1200 pixels wide', 'resize width 1200'],
		['1200px wide', 'resize width 1200'],
		['make it square', 'crop square, centre'],
		['make it 16:9', 'crop 16:9, centre'],
		['size 20', 'resize longer side 20'],
		['grayscale, size 512', 'grayscale; resize longer side 512'],
	])('of the picture: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});

	it.each([
		['add a border, size 10', 'border 10 px black'],
		['add a border of size 10', 'border 10 px black'],
		['blur with size 5', 'blur 5 px'],
		['blur, size 5', 'blur 5 px'],
		['frame, size 30px', 'frame 30 px #4a301c'],
		['blur 4, size 20', 'blur 4 px. Not understood: “20”'],
	])('of what stands before: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});

	it.each(['add text "Hi", size 20', 'add text "Hi" with font size 20', 'write "Hi" in a font of 20px'])(
		'of type: %s',
		(prompt) => {
			expect(plan(prompt).steps).toMatchObject([{ verb: 'text', args: { text: 'Hi', size: 20 } }]);
		},
	);

	it.each([
		['resize to 100000x100000', 'resize 2880x2880'],
		['resize to 9999x10', 'resize 3839x3'],
		['resize 1000%', 'resize 3325x2494'],
		['sepia, resize 1000%', 'sepia 100 %; resize 3325x2494'],
		['pad 2000 px', 'pad 2000 px, limited to 2913x2847'],
	])('that are really made are told: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
		expect(plan(prompt).warnings.join()).toContain('The result is limited to');
	});
});

describe('a word', () => {
	it.each([
		['b&w', 'grayscale'],
		['B/W', 'grayscale'],
		['make it look old', 'vintage'],
		['age it', 'vintage'],
		['an old photo', 'vintage'],
		['turn it blak and white', 'grayscale'],
		['turn it blck and whte', 'grayscale'],
		['grayscle', 'grayscale'],
		['sharpn the image', 'sharpen 80 %'],
		['rotaet 90', 'rotate 90°'],
		['picelate', 'pixelate 12 px'],
	])('is understood: %s', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});

	it.each(['a shark', 'in this order', 'a college', 'a train', 'bring it back', 'a flame'])(
		'is no slip of the keyboard: %s',
		(prompt) => {
			expect(plan(prompt).steps).toEqual([]);
		},
	);

	it('that is a colour does nothing where what stands before was not understood', () => {
		expect(said('turn it blxk and white')).toBe('Not understood: “blxk”, “white”');
	});

	it('that is no colour is not replaced by one', () => {
		expect(said('tint #ff00zz')).toBe('Not understood: “#ff00zz”. Not done: tint needs a colour');
		expect(said('border #12345')).toContain('Not understood: “#12345”');
	});
});

describe('a text that no typeface can draw', () => {
	it.each(['add text "🦄🎉"', 'watermark "🦄🎉"'])('is not done: %s', async (prompt) => {
		const { said: told, picture } = await edit(prompt, scene());
		expect(told).toContain('(the built-in typefaces have none of its characters)');
		expect(told).toContain('Applied: nothing');
		expect(picture.data).toEqual(scene().data);
	});
});

describe('a background', () => {
	it.each(['remove the background', 'replace the background with blue', 'blur the background'])(
		'of an even picture is not cut: %s',
		async (prompt) => {
			const grey = solid(64, 48, [128, 128, 128]);
			const { said: told, picture } = await edit(prompt, copy(grey));
			expect(told).toContain('(there is no subject: the whole picture is like its border in colour)');
			expect(picture.data).toEqual(grey.data);
		},
	);

	it('that leaves strips is doubted', async () => {
		const strips = solid(64, 48, [200, 220, 240]);
		for (const y of [10, 22, 34]) paint(strips, 1, y, 62, 7, [90, 50, 20]);
		paint(strips, 30, 3, 4, 42, [90, 50, 20]);
		const { said: told, notes } = await edit('remove the background', strips);
		expect(told).toBe('Applied: remove background.');
		expect(notes.join()).toContain('could not be told well');
	});

	it('that ends above and below a landscape is doubted', async () => {
		const landscape = solid(64, 48, [200, 220, 240]);
		for (let y = 0; y < 16; y++) paint(landscape, 0, 16 + y, 64, 1, [y * 10, 20 + y * 6, 150 - y * 9]);
		const { notes } = await edit('remove the background', landscape);
		expect(notes.join()).toContain('could not be told well');
	});

	it('around a clear subject is not', async () => {
		expect((await edit('remove the background', subject())).notes).toEqual([]);
	});
});
