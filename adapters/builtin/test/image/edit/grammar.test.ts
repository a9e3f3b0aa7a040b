import { describe, expect, it } from 'vitest';
import { MAX_OPERATIONS } from '../../../src/image/edit/grammar/parse.ts';
import { type EditWish, planEdit } from '../../../src/image/edit/plan.ts';
import { revisedPrompt } from '../../../src/image/edit/report.ts';

const sizes = [
	{ width: 400, height: 300 },
	{ width: 200, height: 200 },
];

function plan(prompt: string, changes: Partial<EditWish> = {}) {
	const planned = planEdit({ prompt, sizes, masked: false, fidelity: 'high', ...changes });
	return { ...planned, revisedPrompt: revisedPrompt(planned.report, planned.steps.length) };
}

const said = (prompt: string): string =>
	plan(prompt)
		.revisedPrompt.replace(/^Applied: /, '')
		.replace(/\.$/, '');

describe('the grammar', () => {
	it.each([
		['Please make the picture grayscale', 'grayscale'],
		['GREYSCALE!!!', 'grayscale'],
		['convert it to black and white and blur it slightly', 'grayscale; blur 2 px'],
		['a black-and-white photo', 'grayscale'],
		[
			'greyscale, then rotate 90 degrees clockwise; add a red border of 10 px',
			'grayscale; rotate 90°; border 10 px red',
		],
		['Increase the brightness by 20% and reduce the contrast by 10 percent', 'brightness +20 %; contrast −10 %'],
		['reduce brightness and contrast', 'brightness −25 %; contrast −25 %'],
		['reduce noise and brighten', 'denoise; brightness +25 %'],
		['make it brighter and warmer', 'brightness +25 %; temperature +40 %'],
		['make it a bit less saturated', 'saturation −18 %'],
		['set saturation to 50%', 'saturation −50 %'],
		['flip horizontally and vertically', 'flip horizontal; flip vertical'],
		['add text "rock, paper and scissors" at the top left', 'text “rock, paper and scissors” at the top left'],
		["write 'it's here' at the bottom", "text “it's here” at the bottom"],
		['add the caption Summer Sale at the top', 'text “Summer Sale” at the top'],
		['caption „Grüße“', 'text “Grüße” at the bottom'],
		['make the background transparent', 'remove background'],
		['change the background to a gradient from navy to sky blue', 'background navy to skyblue'],
		['replace the background with the second picture', 'background image 2'],
		['grayscale the background', 'grayscale (background only)'],
		['make it look like an oil painting', 'oil painting 6 px'],
		['crop to 16:9', 'crop 16:9, centre'],
		['crop 200 x 100, top left', 'crop 200x100, top left'],
		['crop 10% from the left', 'crop 10 % off the left'],
		['crop to a square and resize to 512×512', 'crop square, centre; resize 512x512'],
		['resize to a width of 1,200 px', 'resize width 1200'],
		['scale down 2x', 'resize 50 %'],
		['rotate -45', 'rotate -45°'],
		['rotate left by 30°', 'rotate -30°'],
		['rotate 450', 'rotate 90°'],
		['replace red with blue', 'replace red with blue'],
		['turn the white parts black', 'replace white with black'],
		['make it blue', 'tint blue 60 %'],
		['a bright red border', 'border 3 % red'],
		['duotone navy and gold', 'duotone navy and gold'],
		['tint rgb(255, 0, 0)', 'tint red 60 %'],
		['tint #0f0', 'tint lime 60 %'],
		['lift the shadows and lower the highlights', 'shadows +40 %; highlights −40 %'],
		['brightness of the shadows up by 30%', 'shadows +30 %'],
		['overlay image 2 in the top right corner at 50% opacity', 'overlay image 2 at the top right, 30 %'],
		['blend image 2 30% multiply', 'blend image 2 30 % multiply'],
		['Apply sepia.\nThen add a frame', 'sepia 100 %; frame 6 % #4a301c'],
		['blur: 6, sharpen: 50%', 'blur 6 px; sharpen 50 %'],
		['mirror tile 3x3', 'mirror tile 3x3'],
		['pixelate with 8 px blocks', 'pixelate 8 px'],
		['soft blur', 'blur 4 px'],
		['contrast 1.5', 'contrast +50 %'],
		['opacity 0.5', 'opacity 50 %'],
		['exposure -1', 'exposure −100 % of a stop'],
		['remove the background and replace it with green', 'remove background; background green'],
		['add "Hello" at the top', 'text “Hello” at the top'],
		['write Hello in the center', 'text “Hello” at the centre'],
		['put image 2 in the top left corner', 'overlay image 2 at the top left, 30 %'],
		['place the images side by side', 'side by side'],
		['make it 300x200', 'resize 300x200'],
		['remove the white background', 'remove background'],
		['1. grayscale\n2. blur 3', 'grayscale; blur 3 px'],
		['flip it left to right', 'flip horizontal'],
		['paint it blue', 'fill blue'],
		['painted', 'oil painting 6 px'],
		['blur everything except the subject', 'blur 4 px (background only)'],
		['blur everything but the subject', 'blur 4 px (background only)'],
		['watermark "©" in the corner with 50% opacity', 'watermark “©” at the bottom right 50 %'],
	])('reads “%s”', (prompt, expected) => {
		expect(said(prompt)).toBe(expected);
	});

	it.each([
		['add a unicorn', 'Applied: nothing; the picture is unchanged. Not understood: “unicorn”.'],
		['add a red border and a unicorn', 'Applied: border 3 % red. Not understood: “unicorn”.'],
		[
			'blur the faces',
			'Applied: nothing; the picture is unchanged. Not done: blur 4 px (cannot find “faces” in a picture).',
		],
		['make the car red', 'Applied: nothing; the picture is unchanged. Not understood: “car red”.'],
		['sharpen but do not blur', 'Applied: sharpen 80 %. Not understood: “not blur”.'],
		['rotate 90 without cropping', 'Applied: rotate 90°. Not understood: “without cropping”.'],
		[
			'remove the border of the vase',
			'Applied: nothing; the picture is unchanged. Not done: trim (cannot find “vase” in a picture).',
		],
		['make it pop 🔥🦄', 'Applied: nothing; the picture is unchanged. Not understood: “pop 🔥🦄”.'],
		[
			'Replace the sky with a sunset',
			'Applied: nothing; the picture is unchanged. Not understood: “sky”, “sunset”. Not done: replace colour needs two colours.',
		],
		['blur NaN', 'Applied: blur 4 px. Not understood: “NaN”.'],
	])('says what it did not understand in “%s”', (prompt, expected) => {
		expect(plan(prompt).revisedPrompt).toBe(expected);
	});

	it('says what is possible when it understood nothing', () => {
		const { warnings, steps } = plan('a dog riding a bicycle');
		expect(steps).toEqual([]);
		expect(warnings.join()).toContain('grayscale');
	});

	it.each([
		['blur 1e309', 'blur 200 px', 'A number beyond all bounds became 200.'],
		['blur -5', 'blur 0.3 px', '-5 became 0.3.'],
		['pixelate 99999999999999999999999', 'pixelate 400 px', 'became 400.'],
		['brighten 5000%', 'brightness +200 %', '5000 became 200.'],
	])('keeps the number of “%s” within bounds and says so', (prompt, applied, warning) => {
		const { revisedPrompt, warnings } = plan(prompt);
		expect(revisedPrompt).toBe(`Applied: ${applied}.`);
		expect(warnings.join()).toContain(warning);
	});

	it.each([
		['text', 'needs a quoted text'],
		['resize', 'needs a size'],
		['heal', 'needs a mask'],
		['replace the background', 'needs a colour, a gradient or a picture'],
		['swap the red', 'needs two colours'],
	])('says what is lacking for “%s”', (prompt, lacking) => {
		const { steps, revisedPrompt, warnings } = plan(prompt);
		expect(steps).toEqual([]);
		expect(revisedPrompt).toContain(lacking);
		expect(warnings.join()).toContain(lacking);
	});

	it('skips what changes the shape when there is a mask, and says so', () => {
		const { steps, revisedPrompt, warnings } = plan('blur 4 and rotate 90', { masked: true });
		expect(steps.map(({ verb }) => verb)).toEqual(['blur']);
		expect(revisedPrompt).toContain('rotate 90° (changes the size or shape and is not possible with a mask)');
		expect(warnings.join()).toContain('mask');
	});

	it('skips what needs a further picture that is not there, and says so', () => {
		const { steps, revisedPrompt } = plan('overlay image 3, sepia');
		expect(steps.map(({ verb }) => verb)).toEqual(['sepia']);
		expect(revisedPrompt).toContain('overlay image 3 at the bottom right, 30 % (needs image 3, which is not there)');
	});

	it('does a bounded number of operations', () => {
		const { steps, warnings } = plan('blur. '.repeat(100));
		expect(steps).toHaveLength(MAX_OPERATIONS);
		expect(warnings.join()).toContain(`Only the first ${MAX_OPERATIONS} of 100`);
	});

	it.each([
		['letters', 'a'.repeat(32_000)],
		['quotes', '"'.repeat(32_000)],
		['open quotations', "'x ".repeat(10_600)],
		['digits', '9'.repeat(32_000)],
		['numbers', '1.5e9 '.repeat(5300)],
		['sizes', '10x10x'.repeat(5300)],
		['blanks', `crop${' '.repeat(31_000)}10`],
		['brackets', 'rgb('.repeat(8000)],
		['verbs', 'blur sharpen rotate 90 '.repeat(1390)],
		['fillers between a phrase', `remove ${'the '.repeat(7990)}background`],
		['colours', 'red blue '.repeat(3550)],
		['words and joiners', 'and then and '.repeat(2460)],
		['emoji', '🦄👩‍👩‍👧'.repeat(2000)],
		['lone surrogates', '\ud83d'.repeat(32_000)],
		['lines', '\n'.repeat(32_000)],
		['unknown clauses', 'unicorn, '.repeat(3500)],
		['strength', 'very '.repeat(6400)],
		['clauses that carry on', `text a, ${'b, '.repeat(10_660)}`],
		['strength between commas', `blur, ${'very, '.repeat(5330)}`],
	])('reads 32,000 characters of %s in linear time', (_, prompt) => {
		// Of the processor, which other processes do not lengthen.
		const started = process.cpuUsage();
		const { revisedPrompt } = plan(prompt);
		expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
		expect(revisedPrompt.length).toBeLessThan(4000);
	});
});
