import { change, count, percent } from '../grammar/parameters.ts';
import { nowhere, verb } from '../grammar/verb.ts';
import * as tone from '../ops/tone.ts';

/** A change in percent with its sign: `+20 %`. */
export function signed(value: number): string {
	return `${value < 0 ? '−' : '+'}${Math.abs(Math.round(value))} %`;
}

/** Operations on light: every pixel for itself. */
export const toneVerbs = [
	verb({
		name: 'brighten',
		reach: nowhere,
		phrases: 'brighten|brightness|bright|lighten|=lighter|luminosity',
		takes: { amount: change(25) },
		does: 'Multiplies the light.',
		say: ({ amount }) => `brightness ${signed(amount)}`,
		run: (picture, { amount }) => {
			tone.brightness(picture, amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'darken',
		reach: nowhere,
		phrases: 'darken|dark|darkness|=dim|dimmed|dimmer',
		takes: { amount: change(25, -1) },
		does: 'Takes light away.',
		say: ({ amount }) => `brightness ${signed(amount)}`,
		run: (picture, { amount }) => {
			tone.brightness(picture, amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'contrast',
		reach: nowhere,
		phrases: 'contrast|contrasty|punchy|punch',
		takes: { amount: change(25) },
		does: 'Spreads the tones around the middle grey.',
		say: ({ amount }) => `contrast ${signed(amount)}`,
		run: (picture, { amount }) => {
			tone.contrast(picture, amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'exposure',
		reach: nowhere,
		phrases: 'exposure|overexpose',
		takes: {
			amount: {
				about: '-500 to 500 % of a stop, usually 30; plain numbers are stops',
				directed: true,
				read: (words) => {
					const said = words.number('');
					words.word('stop', 'stops', 'ev');
					if (!said) return change(30, 1, 500).read(words);
					const sign = words.direction() ?? 1;
					const stops = Math.abs(said.value) <= 5 ? said.value * 100 : said.value;
					return words.bound(stops * sign, -500, 500);
				},
			},
		},
		does: 'Opens or closes the aperture: 100 % is one stop.',
		say: ({ amount }) => `exposure ${signed(amount)} of a stop`,
		run: (picture, { amount }) => {
			tone.exposure(picture, amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'gamma',
		reach: nowhere,
		phrases: 'gamma|gamma correction|midtones',
		takes: {
			value: {
				about: '0.2 to 5, usually 1.4',
				directed: true,
				read: (words) => {
					const direction = words.direction() ?? 1;
					const said = words.number('', 'x')?.value;
					return words.bound(said ?? (direction > 0 ? 1.4 : 0.7), 0.2, 5);
				},
			},
		},
		does: 'Makes the middle tones lighter (above 1) or darker.',
		say: ({ value }) => `gamma ${value}`,
		run: (picture, { value }) => {
			tone.gamma(picture, value);
			return picture;
		},
	}),
	verb({
		name: 'shadows',
		reach: nowhere,
		phrases: '=shadows|lighten =shadows|brighten =shadows|open =shadows|fill light|dark areas',
		takes: { amount: change(40, 1, 100) },
		does: 'Lifts or lowers the dark tones.',
		say: ({ amount }) => `shadows ${signed(amount)}`,
		run: (picture, { amount }) => {
			tone.shadows(picture, amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'highlights',
		reach: nowhere,
		phrases: 'highlights|light areas',
		takes: { amount: change(40, 1, 100) },
		does: 'Lifts or lowers the light tones.',
		say: ({ amount }) => `highlights ${signed(amount)}`,
		run: (picture, { amount }) => {
			tone.highlights(picture, amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'invert',
		reach: nowhere,
		phrases: 'invert|invert colors|inverse|negative|negate|inverted colors',
		takes: {},
		does: 'Turns every colour into its opposite.',
		say: () => 'invert',
		run: (picture) => {
			tone.invert(picture);
			return picture;
		},
	}),
	verb({
		name: 'posterize',
		reach: nowhere,
		phrases: 'posterize|poster|quantize|reduce colors',
		takes: { levels: count(4, 2, 32) },
		does: 'Leaves a few levels per channel.',
		say: ({ levels }) => `posterize ${levels} levels`,
		run: (picture, { levels }) => {
			tone.posterize(picture, levels);
			return picture;
		},
	}),
	verb({
		name: 'threshold',
		reach: nowhere,
		phrases: 'threshold|binarize|binary|pure black and white|stencil',
		takes: { level: percent(50) },
		does: 'Makes everything lighter than a level white and the rest black.',
		say: ({ level }) => `threshold ${level} %`,
		run: (picture, { level }) => {
			tone.threshold(picture, level / 100);
			return picture;
		},
	}),
	verb({
		name: 'solarize',
		reach: nowhere,
		phrases: 'solarize|solarization',
		takes: { level: percent(50) },
		does: 'Turns tones above a level round.',
		say: ({ level }) => `solarize above ${level} %`,
		run: (picture, { level }) => {
			tone.solarize(picture, level / 100);
			return picture;
		},
	}),
	verb({
		name: 'fade',
		reach: nowhere,
		phrases: 'fade|faded|washed out|wash out|matte',
		takes: { amount: percent(50) },
		does: 'Lifts black and lowers white, as on old prints.',
		say: ({ amount }) => `fade ${amount} %`,
		run: (picture, { amount }) => {
			tone.fade(picture, amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'auto contrast',
		phrases:
			'auto contrast|autocontrast|auto levels|auto enhance|auto fix|autofix|enhance|normalize|normalise|improve|auto tone|automatic contrast|fix lighting|stretch contrast',
		takes: {},
		does: 'Stretches the tones over the whole range.',
		say: () => 'auto contrast',
		run: (picture) => {
			tone.stretch(picture);
			return picture;
		},
	}),
	verb({
		name: 'equalize',
		phrases: 'equalize|equalise|histogram equalization|equalize histogram',
		takes: {},
		does: 'Makes all tones about equally frequent.',
		say: () => 'equalize',
		run: (picture) => {
			tone.equalize(picture);
			return picture;
		},
	}),
	verb({
		name: 'opacity',
		reach: nowhere,
		phrases: 'opacity|alpha',
		takes: { share: { ...percent(50), directed: true } },
		does: 'Makes the whole picture as opaque as said.',
		say: ({ share }) => `opacity ${share} %`,
		run: (picture, { share }) => {
			tone.opacity(picture, share / 100);
			return picture;
		},
	}),
	verb({
		name: 'transparency',
		reach: nowhere,
		phrases: 'transparent|translucent|semi transparent|see through|transparency',
		takes: { share: percent(50) },
		does: 'Makes the whole picture as transparent as said.',
		say: ({ share }) => `transparency ${share} %`,
		run: (picture, { share }) => {
			tone.opacity(picture, 1 - share / 100);
			return picture;
		},
	}),
];
