import { colorName } from '../grammar/colors.ts';
import { angle, change, color, colors, percent } from '../grammar/parameters.ts';
import { nowhere, verb } from '../grammar/verb.ts';
import * as ops from '../ops/color.ts';
import { signed } from './tone.ts';

const reach = percent(30, 1, 100);

/** Operations on colour: every pixel for itself. */
export const colorVerbs = [
	verb({
		name: 'grayscale',
		reach: nowhere,
		phrases:
			'grayscale|gray scale|black and white|black & white|black white|monochrome|desaturate completely|remove color|remove all colors|without colors|b and w|b w|=bw|noir|=gray',
		takes: {},
		does: 'Takes all colour away.',
		say: () => 'grayscale',
		run: (picture) => {
			ops.grayscale(picture);
			return picture;
		},
	}),
	verb({
		name: 'sepia',
		reach: nowhere,
		phrases: 'sepia',
		takes: { share: percent(100) },
		does: 'Tones it like an old print.',
		say: ({ share }) => `sepia ${share} %`,
		run: (picture, { share }) => {
			ops.sepia(picture, share / 100);
			return picture;
		},
	}),
	verb({
		name: 'saturate',
		reach: nowhere,
		phrases: 'saturate|saturation|saturated|colorful|vivid|richer colors|more colors',
		takes: { amount: change(35) },
		does: 'Makes colours stronger or weaker.',
		say: ({ amount }) => `saturation ${signed(amount)}`,
		run: (picture, { amount }) => {
			ops.saturate(picture, 1 + amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'desaturate',
		reach: nowhere,
		phrases: 'desaturate|mute colors|muted|muted colors',
		takes: { amount: percent(50) },
		does: 'Takes some colour away.',
		say: ({ amount }) => `saturation ${signed(-amount)}`,
		run: (picture, { amount }) => {
			ops.saturate(picture, 1 - amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'vibrance',
		reach: nowhere,
		phrases: 'vibrance|vibrant|lively',
		takes: { amount: change(50) },
		does: 'Strengthens dull colours more than strong ones.',
		say: ({ amount }) => `vibrance ${signed(amount)}`,
		run: (picture, { amount }) => {
			ops.vibrance(picture, amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'hue',
		reach: nowhere,
		phrases: 'hue|hue rotate|rotate hue|shift hue|change hue|hue shift|shift colors|rotate colors',
		takes: { degrees: angle(90) },
		does: 'Turns all hues around the colour circle.',
		say: ({ degrees }) => `hue ${Math.round(degrees)}°`,
		run: (picture, { degrees }) => {
			ops.turnHue(picture, degrees);
			return picture;
		},
	}),
	verb({
		name: 'tint',
		reach: nowhere,
		phrases: 'tint|colorize|color overlay',
		takes: { color: color([255, 165, 0]), share: percent(60) },
		does: 'Gives the middle tones a colour.',
		say: (args) => `tint ${colorName(args.color)} ${args.share} %`,
		run: (picture, args) => {
			ops.tint(picture, args.color, args.share / 100);
			return picture;
		},
	}),
	verb({
		name: 'warm',
		reach: nowhere,
		phrases: 'warm|warmer|warmth|temperature|color temperature|golden hour|sunny',
		takes: { amount: change(40, 1, 100) },
		does: 'Moves the colours towards candle light.',
		say: ({ amount }) => `temperature ${signed(amount)}`,
		run: (picture, { amount }) => {
			ops.temperature(picture, amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'cool',
		reach: nowhere,
		phrases: 'cool|cooler|cold|colder|icy',
		takes: { amount: change(40, -1, 100) },
		does: 'Moves the colours towards shade.',
		say: ({ amount }) => `temperature ${signed(amount)}`,
		run: (picture, { amount }) => {
			ops.temperature(picture, amount / 100);
			return picture;
		},
	}),
	verb({
		name: 'white balance',
		phrases: 'white balance|auto white balance|auto color|remove color cast|color correct|neutralize|color correction',
		takes: {},
		does: 'Takes a colour cast away.',
		say: () => 'white balance',
		run: (picture) => {
			ops.balanceWhite(picture);
			return picture;
		},
	}),
	verb({
		name: 'duotone',
		reach: nowhere,
		phrases: 'duotone|duo tone|two tone|bichrome',
		takes: { pair: colors(2) },
		does: 'Draws shadows in one colour and lights in another.',
		say: ({ pair }) => `duotone ${twoOf(pair).map(colorName).join(' and ')}`,
		run: (picture, { pair }) => {
			ops.mapToGradient(picture, twoOf(pair));
			return picture;
		},
	}),
	verb({
		name: 'gradient map',
		reach: nowhere,
		phrases: 'gradient map|map gradient|false color|heat map|thermal|tritone',
		takes: { stops: colors(6) },
		does: 'Replaces brightness by the colours of a gradient.',
		say: ({ stops }) => `gradient map ${stopsOf(stops).map(colorName).join(', ')}`,
		run: (picture, { stops }) => {
			ops.mapToGradient(picture, stopsOf(stops));
			return picture;
		},
	}),
	verb({
		name: 'replace colour',
		reach: nowhere,
		phrases: 'replace|replace color|swap|swap color|change color|recolor',
		takes: { pair: colors(2), reach },
		does: 'Turns one colour into another.',
		lacks: ({ pair }) => (pair.length < 2 ? 'two colours' : undefined),
		say: ({ pair }) => `replace ${pair.map(colorName).join(' with ')}`,
		run: (picture, { pair: [from, to], reach: share }) => {
			if (from && to) ops.replaceColor(picture, from, to, share / 100);
			return picture;
		},
	}),
	verb({
		name: 'green screen',
		reach: nowhere,
		phrases: 'green screen|remove green screen|chroma key|greenscreen',
		takes: { reach: percent(50, 1, 100) },
		does: 'Makes the green of a studio wall transparent.',
		say: () => 'green screen',
		run: (picture, { reach: share }) => {
			ops.keyOut(picture, [0, 190, 60], share / 100);
			return picture;
		},
	}),
	verb({
		name: 'colour key',
		reach: nowhere,
		phrases: 'transparent|key out|color key|remove color|knock out',
		takes: {
			gone: {
				about: 'a colour',
				read: (words) => {
					words.word('remove', 'delete', 'erase');
					return colors(1).read(words);
				},
			},
			reach,
		},
		does: 'Makes one colour transparent.',
		lacks: ({ gone }) => (gone.length === 0 ? 'a colour' : undefined),
		say: ({ gone }) => `transparent ${gone.map(colorName).join()}`,
		run: (picture, { gone: [key], reach: share }) => {
			if (key) ops.keyOut(picture, key, share / 100);
			return picture;
		},
	}),
];

type Colors = Parameters<typeof ops.mapToGradient>[1];

function twoOf(pair: Colors): Colors {
	return pair.length === 2 ? pair : [pair[0] ?? [25, 25, 112], [255, 228, 181]];
}

function stopsOf(stops: Colors): Colors {
	return stops.length >= 2
		? stops
		: [
				[13, 8, 60],
				[156, 23, 158],
				[237, 121, 83],
				[240, 249, 33],
			];
}
