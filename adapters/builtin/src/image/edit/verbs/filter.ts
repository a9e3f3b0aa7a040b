import { choice, count, percent, pixels } from '../grammar/parameters.ts';
import { verb } from '../grammar/verb.ts';
import { blur } from '../ops/blur.ts';
import { paint } from '../ops/oil.ts';
import * as style from '../ops/stylise.ts';
import * as texture from '../ops/texture.ts';

const inks = choice('plain', { colored: ['coloured', 'color', 'colour'], plain: [] });

/** A length in pixels at the scale of a preview, at least `least`. */
function scaled(length: number, scale: number, least = 1): number {
	return Math.max(least, Math.round(length * scale));
}

/** Operations that look at the neighbours of each pixel. */
export const filterVerbs = [
	verb({
		name: 'blur',
		phrases: 'blur|blurry|soften|soft|soft focus|out of focus|defocus|smooth|gaussian blur|unfocus',
		takes: { radius: pixels(4, 0.3, 200) },
		reach: ({ radius }) => radius * 3 + 4,
		does: 'Averages neighbours; the number is the standard deviation of a Gaussian.',
		say: ({ radius }) => `blur ${radius} px`,
		run: (picture, { radius }, { scale, check, fast }) => {
			blur(picture, radius * scale, check, fast ? 2 : 3);
			return picture;
		},
	}),
	verb({
		name: 'sharpen',
		phrases:
			'sharpen|sharpen edges|sharp|sharpness|sharper|unsharp mask|unblur|deblur|unsharp|crisp|crisper|clarity|detail',
		takes: { amount: percent(80, 0, 500) },
		reach: () => 8,
		does: 'Adds what a blur would take away.',
		say: ({ amount }) => `sharpen ${amount} %`,
		run: (picture, { amount }, { check }) => {
			style.sharpen(picture, amount / 100, 1.2, check);
			return picture;
		},
	}),
	verb({
		name: 'denoise',
		phrases:
			'denoise|noise reduction|background noise|remove background noise|reduce background noise|reduce noise|remove noise|less noise|remove grain|reduce grain|median|median filter|despeckle|clean up noise',
		takes: { passes: count(1, 1, 5) },
		does: 'Replaces each pixel by the median of its neighbourhood.',
		say: ({ passes }) => (passes === 1 ? 'denoise' : `denoise ${passes} times`),
		run: (picture, { passes }, { check }) => {
			for (let pass = 0; pass < passes; pass++) texture.median(picture, check);
			return picture;
		},
	}),
	verb({
		name: 'pixelate',
		phrases: 'pixelate|pixelated|mosaic|censor|pixel art|blocky',
		takes: { side: pixels(12, 2, 400) },
		does: 'Squares of one colour.',
		say: ({ side }) => `pixelate ${side} px`,
		run: (picture, { side }, { scale, check }) => {
			style.pixelate(picture, scaled(side, scale, 2), check);
			return picture;
		},
	}),
	verb({
		name: 'edges',
		phrases: 'edges|edge detection|detect edges|find edges|outline|outlines|contour|line art|line drawing',
		takes: {},
		does: 'Light lines on black where the brightness changes.',
		say: () => 'edges',
		run: (picture, _, { check }) => {
			style.edges(picture, check);
			return picture;
		},
	}),
	verb({
		name: 'sketch',
		phrases: 'sketch|pencil sketch|pencil drawing|pencil|drawing|drawn|charcoal drawing',
		takes: { inks },
		does: 'A pencil drawing; `coloured` keeps the hues.',
		say: ({ inks: ink }) => (ink === 'plain' ? 'sketch' : 'coloured sketch'),
		run: (picture, { inks: ink }, { check, scale }) => {
			const width = Math.max(1.5, Math.min(picture.width, picture.height) / 110, 4 * scale);
			style.sketch(picture, width, ink !== 'plain', check);
			return picture;
		},
	}),
	verb({
		name: 'emboss',
		phrases: 'emboss|embossed|relief|bas relief|engrave',
		takes: { depth: percent(100, 10, 400) },
		does: 'A grey relief lit from the top left.',
		say: ({ depth }) => `emboss ${depth} %`,
		run: (picture, { depth }, { check }) => {
			style.emboss(picture, depth / 100, check);
			return picture;
		},
	}),
	verb({
		name: 'oil',
		phrases: 'oil painting|oil paint|oil|oil filter|painting|painterly|paint|painted|watercolor|impressionist|kuwahara',
		takes: { radius: pixels(6, 2, 40) },
		does: 'Brush strokes: the evenest neighbourhood of each pixel.',
		say: ({ radius }) => `oil painting ${radius} px`,
		run: (picture, { radius }, { scale, check, fast }) => {
			const width = scaled(radius, scale, 2);
			paint(picture, width, check);
			// A second pass with finer strokes joins the patches of the first.
			if (!fast) paint(picture, Math.max(2, width / 2), check);
			return picture;
		},
	}),
	verb({
		name: 'cartoon',
		phrases: 'cartoon|cartoonize|comic|comic book|toon|cel shading|pop art',
		takes: { levels: count(6, 2, 16) },
		does: 'Flat tones with dark outlines.',
		say: ({ levels }) => `cartoon ${levels} tones`,
		run: (picture, { levels }, { check }) => {
			style.cartoon(picture, levels, check);
			return picture;
		},
	}),
	verb({
		name: 'halftone',
		phrases: 'halftone|half tone|newspaper|newsprint|dots|dotted',
		takes: { cell: pixels(8, 3, 100), inks },
		does: 'Dots whose size follows the brightness.',
		say: ({ cell }) => `halftone ${cell} px`,
		run: (picture, { cell, inks: ink }, { scale, check }) => {
			texture.halftone(picture, scaled(cell, scale, 3), ink !== 'plain', check);
			return picture;
		},
	}),
	verb({
		name: 'noise',
		phrases: 'noise|add noise|noisy|grain|film grain|grainy',
		takes: { amount: percent(25, 1, 100) },
		does: 'Adds film grain.',
		say: ({ amount }) => `grain ${amount} %`,
		run: (picture, { amount }, { seed }) => {
			texture.grain(picture, amount / 100, seed);
			return picture;
		},
	}),
	verb({
		name: 'glitch',
		phrases: 'glitch|glitchy|vhs|corrupted|datamosh',
		takes: { amount: percent(50, 1, 100) },
		does: 'Slips rows sideways and parts the channels.',
		say: ({ amount }) => `glitch ${amount} %`,
		run: (picture, { amount }, { seed }) => {
			texture.glitch(picture, amount / 100, seed);
			return picture;
		},
	}),
	verb({
		name: 'chromatic aberration',
		phrases: 'chromatic aberration|rgb split|split channels|color fringe|anaglyph',
		takes: { shift: pixels(5, 1, 100) },
		does: 'Moves red and blue apart.',
		say: ({ shift }) => `chromatic aberration ${shift} px`,
		run: (picture, { shift }, { scale }) => {
			texture.splitChannels(picture, scaled(shift, scale));
			return picture;
		},
	}),
	verb({
		name: 'glow',
		phrases: 'glow|bloom|glowing|dreamy|orton',
		takes: { amount: percent(60, 1, 100) },
		does: 'Light parts shine into their neighbourhood.',
		say: ({ amount }) => `glow ${amount} %`,
		run: (picture, { amount }, { check }) => {
			style.glow(picture, amount / 100, Math.min(picture.width, picture.height) / 45, check);
			return picture;
		},
	}),
];
