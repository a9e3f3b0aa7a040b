import { type Check, clampSize, type Size } from '../bitmap.ts';
import type { Parameter, Place } from '../grammar/parameters.ts';
import { anyColor, choice, percent, picture as pictureOf, place, placeName } from '../grammar/parameters.ts';
import { verb, type WantedPicture } from '../grammar/verb.ts';
import { lay } from '../ops/alpha.ts';
import { arrange, type BlendMode, blend, collage, type Layout } from '../ops/combine.ts';
import { boxAt } from '../ops/geometry.ts';

const modes: Parameter<BlendMode> = choice('normal', {
	normal: [],
	multiply: ['multiplied'],
	screen: ['screened'],
	overlay: [],
	difference: [],
});

/** All pictures take part, whichever are named. */
const pictures: Parameter<readonly number[]> = {
	about: 'names of pictures, which change nothing',
	read: (words) => {
		words.pair('size');
		const named: number[] = [];
		for (let next = words.image(); next !== undefined; next = words.image()) named.push(next);
		return named;
	},
};

/** Operations with further pictures of the request. */
export const combineVerbs = [
	verb({
		name: 'overlay',
		anywhere: true,
		phrases: 'overlay|superimpose|paste|picture in picture|logo|inset|stick',
		absorbs: ['opacity', 'transparency', 'resize'],
		takes: {
			other: pictureOf(),
			place: place({ x: 1, y: 1 }),
			opacity: opacity(),
			share: percent(30, 1, 100),
		},
		does: 'Lays image 2 (or the one that is named) over a corner or the middle.',
		say: (args) => `overlay image ${second(args.other) + 1} at the ${placeName(args.place)}, ${args.share} %`,
		wants: (size, { other, share }, sizes) => {
			const index = second(other);
			const own = sizes[index] ?? size;
			return [{ index, ...insideShare(size, own, share / 100), mode: 'fill' }];
		},
		run: (picture, args, { pictures, check }) => {
			const [top] = pictures;
			if (!top) return picture;
			const { x, y } = overlayAt(picture, top, args.place);
			lay(picture, top, x, y, args.opacity, check);
			return picture;
		},
	}),
	verb({
		name: 'blend',
		anywhere: true,
		phrases: 'blend|mix|double exposure|merge|combine|fuse|composite|multiply image|screen image',
		takes: { other: pictureOf(), share: percent(50), mode: modes },
		does: 'Mixes image 2 into it: normal, multiply, screen, overlay or difference.',
		say: (args) =>
			`blend image ${second(args.other) + 1} ${args.share} %${args.mode === 'normal' ? '' : ` ${args.mode}`}`,
		wants: ({ width, height }, { other }) => [{ index: second(other), width, height, mode: 'cover' }],
		run: (picture, { share, mode }, { pictures, check }) => {
			const [top] = pictures;
			if (top) blend(picture, top, share / 100, mode, check);
			return picture;
		},
	}),
	verb({
		name: 'side by side',
		anywhere: true,
		phrases: 'side by side|next to each other|beside|before after|in row|horizontal stack|join horizontally|hstack',
		takes: { behind: anyColor(), named: pictures },
		does: 'All pictures in a row.',
		say: () => 'side by side',
		size: (size, _, sizes) => layout(size, sizes.length, 'row'),
		wants: (size, _, sizes) => others(layout(size, sizes.length, 'row')),
		run: (picture, { behind }, { pictures, transparent, check }) =>
			assemble(picture, pictures, 'row', behind, transparent, check),
	}),
	verb({
		name: 'stack',
		anywhere: true,
		phrases: 'stack|stacked|stack vertically|on top of each other|below each other|vertical stack|vstack|in column',
		takes: { behind: anyColor(), named: pictures },
		does: 'All pictures below each other.',
		say: () => 'stack',
		size: (size, _, sizes) => layout(size, sizes.length, 'column'),
		wants: (size, _, sizes) => others(layout(size, sizes.length, 'column')),
		run: (picture, { behind }, { pictures, transparent, check }) =>
			assemble(picture, pictures, 'column', behind, transparent, check),
	}),
	verb({
		name: 'collage',
		anywhere: true,
		phrases: 'collage|grid|contact sheet|montage|photo grid|mosaic of images',
		takes: { behind: anyColor(), named: pictures },
		does: 'All pictures in a grid.',
		say: () => 'collage',
		size: (size, _, sizes) => layout(size, sizes.length, 'grid'),
		wants: (size, _, sizes) => others(layout(size, sizes.length, 'grid')),
		run: (picture, { behind }, { pictures, transparent, check }) =>
			assemble(picture, pictures, 'grid', behind, transparent, check),
	}),
];

/** `image 2` where none is named, or where the edited picture itself is. */
function second(other: number | undefined): number {
	return other === undefined || other === 0 ? 1 : other;
}

function opacity(): Parameter<number> {
	return {
		about: 'opacity in percent: `at 50% opacity`',
		read: (words) => {
			const said = words.measured('%', 'opacity', 'opaque');
			if (said !== undefined) return words.bound(said, 0, 100) / 100;
			const vague = words.word('opacity', 'translucent', 'transparent', 'transparency');
			return vague ? words.bound(words.number('%')?.value ?? 60, 0, 100) / 100 : 1;
		},
	};
}

/** As large as fits into a share of both sides. */
function insideShare(outer: Size, { width, height }: Size, share: number): Size {
	const scale = Math.min((outer.width * share) / width, (outer.height * share) / height);
	return clampSize({
		width: Math.max(1, Math.floor(width * scale)),
		height: Math.max(1, Math.floor(height * scale)),
	});
}

function overlayAt(base: Size, top: Size, at: Place): { x: number; y: number } {
	const margin = Math.round(Math.min(base.width, base.height) * 0.03);
	const box = boxAt(base, top, at);
	const room = (side: -1 | 0 | 1, free: number): number => (free > 2 * margin ? -side * margin : 0);
	return {
		x: box.x + room(at.x, base.width - top.width),
		y: box.y + room(at.y, base.height - top.height),
	};
}

function layout(size: Size, number: number, arrangement: 'row' | 'column' | 'grid'): Layout {
	const gap = Math.max(1, Math.round(Math.min(size.width, size.height) * 0.015));
	return arrange(Math.max(2, number), size, arrangement, gap);
}

function others({ boxes }: Layout): readonly WantedPicture[] {
	return boxes.slice(1).map(({ width, height }, i) => ({ index: i + 1, width, height, mode: 'cover' }));
}

function assemble(
	picture: Parameters<typeof collage>[0][number],
	pictures: Parameters<typeof collage>[0],
	arrangement: 'row' | 'column' | 'grid',
	behind: readonly number[] | undefined,
	transparent: boolean,
	check: Check,
) {
	const all = [picture, ...pictures];
	const color = behind ?? (transparent ? undefined : [255, 255, 255]);
	return collage(all, layout(picture, all.length, arrangement), color, check);
}
