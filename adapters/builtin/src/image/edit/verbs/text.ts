import type { Parameter } from '../grammar/parameters.ts';
import { anyColor, percent, place, placeName, text } from '../grammar/parameters.ts';
import { verb } from '../grammar/verb.ts';
import { watermark, write } from '../ops/text.ts';

const typeSize: Parameter<number | undefined> = {
	about: 'height in pixels; absent: fits the picture',
	read: (words) => {
		words.word('font', 'fontsize');
		const said = words.number('px', '');
		const factor = words.strength();
		if (said) return words.bound(said.value, 6, 1000);
		if (words.word('small', 'tiny', 'little')) return -0.6;
		if (words.word('big', 'large', 'huge', 'bold')) return -1.5;
		return factor === 1 ? undefined : -factor;
	},
};

/** Negative: a factor of what fits; else pixels. */
function sizeFor(size: number | undefined, picture: { width: number; height: number }, scale: number) {
	if (size === undefined) return undefined;
	return size < 0 ? -size * Math.min(picture.width / 13, picture.height / 9) : size * scale;
}

/** Operations that write. */
export const textVerbs = [
	verb({
		name: 'text',
		anywhere: true,
		phrases: 'text|caption|title|write|label|the words|heading|subtitle|add words|lettering|slogan|headline',
		absorbs: ['shadow', 'border', 'edges', 'frame', 'shadows'],
		takes: { text: text(), place: place({ x: 0, y: 1 }), color: anyColor(), size: typeSize },
		does: 'Writes a text at the top, in the middle or at the bottom, wrapped to fit.',
		lacks: (args) => (args.text === '' ? 'a quoted text' : undefined),
		say: (args) => `text “${short(args.text)}” at the ${placeName(args.place)}`,
		run: async (picture, args, { note, skip, scale }) => {
			const size = sizeFor(args.size, picture, scale);
			for (const sentence of await write(picture, { ...args, size }, skip)) note(sentence);
			return picture;
		},
	}),
	verb({
		name: 'watermark',
		anywhere: true,
		phrases: 'watermark|watermark text|text watermark|copyright|copyright notice|stamp',
		absorbs: ['text', 'opacity', 'transparency', 'shadow'],
		takes: {
			text: text(),
			where: {
				about: 'a corner; else it repeats on a slant',
				placed: true,
				read: (words) => {
					words.word('diagonal', 'diagonally', 'everywhere', 'repeated', 'translucent', 'transparent');
					const named = words.has(
						'corner',
						'top',
						'bottom',
						'left',
						'right',
						'upper',
						'lower',
						'center',
						'centre',
						'middle',
					);
					return named ? place({ x: 1, y: 1 }).read(words) : undefined;
				},
			},
			color: anyColor(),
			opacity: {
				about: '1 to 100 %, usually 35',
				read: (words) => {
					const said = words.measured('%', 'opacity', 'opaque');
					const value = said === undefined ? percent(35, 1, 100).read(words) : words.bound(said, 1, 100);
					words.word('opacity', 'opaque', 'transparency');
					return value;
				},
			},
		},
		does: 'Writes translucently on a slant all over, or once into a corner.',
		lacks: (args) => (args.text === '' ? 'a quoted text' : undefined),
		say: ({ text: said, where, opacity }) =>
			`watermark “${short(said)}” ${where ? `at the ${placeName(where)}` : 'all over'} ${opacity} %`,
		run: async (picture, args, { note, skip }) => {
			const { text: said, color, where } = args;
			const wanted = {
				text: said,
				color,
				place: where ?? { x: 0, y: 0 },
				repeat: where === undefined,
				opacity: args.opacity / 100,
			};
			for (const sentence of await watermark(picture, wanted, skip)) note(sentence);
			return picture;
		},
	}),
];

function short(text: string): string {
	const chars = Array.from(text.replace(/\s+/g, ' ').trim());
	return chars.length > 60 ? `${chars.slice(0, 59).join('')}…` : chars.join('');
}
