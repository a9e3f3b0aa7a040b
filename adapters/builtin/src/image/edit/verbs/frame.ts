import { type Bitmap, blank, type Check, isOpaque, solid } from '../bitmap.ts';
import { colorName } from '../grammar/colors.ts';
import type { Parameter } from '../grammar/parameters.ts';
import { color, percent } from '../grammar/parameters.ts';
import { verb } from '../grammar/verb.ts';
import { flatten, lay } from '../ops/alpha.ts';
import { sepia } from '../ops/color.ts';
import { covering } from '../ops/combine.ts';
import * as shape from '../ops/shape.ts';
import { fade } from '../ops/tone.ts';

/** A thickness in pixels, or a share of the shorter side. */
interface Thickness {
	readonly px?: number;
	readonly share: number;
}

function thickness(usual: number): Parameter<Thickness> {
	return {
		about: `pixels or percent of the shorter side, usually ${usual} %`,
		read: (words) => {
			const less = words.pairOf(['less'], ['thick', 'wide', 'big', 'large']) ? 0.5 : 1;
			const strength = less * words.strength() * (words.word('thick', 'wide', 'big', 'large') ? 2 : 1);
			const thin = words.word('thin', 'narrow', 'small', 'fine') ? 0.5 : 1;
			const said = words.number('px', '');
			if (said) return { px: words.bound(said.value, 1, 1000), share: 0 };
			const share = words.number('%')?.value ?? usual * strength * thin;
			return { share: words.bound(share, 0.1, 50) / 100 };
		},
	};
}

function inPixels(
	{ px, share }: Thickness,
	{ width, height }: { width: number; height: number },
	scale: number,
): number {
	const least = Math.min(width, height);
	const wanted = px === undefined ? least * share : px * scale;
	return Math.max(1, Math.min(Math.floor(least / 2), Math.round(wanted)));
}

function said({ px, share }: Thickness): string {
	return px === undefined ? `${Math.round(share * 1000) / 10} %` : `${px} px`;
}

/** Operations on the border. None of them changes the size: they draw inwards. */
export const frameVerbs = [
	verb({
		name: 'border',
		phrases: 'border|bordered|stroke|edge line',
		takes: { width: thickness(3), color: color([0, 0, 0]) },
		does: 'A line along the inside of the border.',
		say: (args) => `border ${said(args.width)} ${colorName(args.color)}`,
		run: (picture, args, { scale }) => {
			shape.strokeInside(picture, 0, inPixels(args.width, picture, scale), args.color);
			return picture;
		},
	}),
	verb({
		name: 'frame',
		phrases: 'frame|framed|picture frame|passe partout',
		takes: { width: thickness(6), color: color([74, 48, 28]) },
		does: 'A frame with a light mat inside it.',
		say: (args) => `frame ${said(args.width)} ${colorName(args.color)}`,
		run: (picture, args, { scale, check }) => {
			const width = inPixels(args.width, picture, scale);
			const [wood, mat] = [Math.max(1, Math.round(width * 0.55)), Math.max(2, width)];
			const { width: w, height: h } = picture;
			const room = { width: Math.max(1, w - 2 * mat), height: Math.max(1, h - 2 * mat) };
			const inner = covering(picture, room, check);
			const made = solid(w, h, [244, 240, 230]);
			lay(made, inner, mat, mat, 1, check);
			shape.strokeInside(made, 0, wood, args.color);
			const [r, g, b] = args.color;
			const light = [r + (255 - r) * 0.35, g + (255 - g) * 0.35, b + (255 - b) * 0.35];
			shape.strokeInside(
				made,
				Math.round(wood * 0.35),
				Math.max(Math.round(wood * 0.35) + 1, Math.round(wood * 0.6)),
				light,
			);
			return made;
		},
	}),
	verb({
		name: 'polaroid',
		phrases: 'polaroid|instant photo',
		takes: { color: color([250, 249, 245]) },
		does: 'A white print with a wide lower margin.',
		say: () => 'polaroid',
		run: (picture, args, { check }) => {
			const { width, height } = picture;
			const side = Math.max(1, Math.round(Math.min(width, height) * 0.06));
			const foot = Math.max(2, Math.round(height * 0.18));
			const made = solid(width, height, args.color);
			const room = {
				width: Math.max(1, width - 2 * side),
				height: Math.max(1, height - side - foot),
			};
			lay(made, covering(picture, room, check), side, side, 1, check);
			return made;
		},
	}),
	verb({
		name: 'round corners',
		phrases: 'round corners|rounded corners|round edges|rounded|curved corners|corner radius|rounded rectangle',
		takes: { radius: thickness(10) },
		does: 'Makes the corners transparent outside a quarter of a circle.',
		say: ({ radius }) => `round corners ${said(radius)}`,
		run: (picture, { radius }, { scale, check }) => {
			const { width, height } = picture;
			shape.keepRounded(picture, width, height, inPixels(radius, picture, scale), check);
			return picture;
		},
	}),
	verb({
		name: 'circle',
		phrases:
			'circle|cut out circle|circle crop|crop circle|circular|crop circular|circle mask|cut circle|avatar|crop =into circle|round crop',
		takes: {},
		does: 'Cuts a circle out of the middle; the rest is transparent.',
		say: () => 'circle',
		run: (picture, _, { check }) => {
			const side = Math.min(picture.width, picture.height);
			shape.keepRounded(picture, side, side, side / 2, check);
			return picture;
		},
	}),
	verb({
		name: 'shadow',
		phrases: 'drop shadow|shadow|=shadow|cast shadow|box shadow',
		takes: { strength: percent(60), color: color([0, 0, 0]) },
		does: 'A soft shadow behind what is not transparent; an opaque picture is made a little smaller for it.',
		say: ({ strength }) => `shadow ${strength} %`,
		run: (picture, args, { check, transparent }) => {
			const unit = Math.min(picture.width, picture.height) / 40;
			const made = isOpaque(picture) ? withMargin(picture, unit * 2.2, check) : picture;
			const look = {
				shift: Math.max(1, Math.round(unit * 0.6)),
				soft: unit * 0.8,
				strength: args.strength / 100,
				color: args.color,
			};
			shape.addShadow(made, look, check);
			if (made !== picture && !transparent) flatten(made, [255, 255, 255]);
			return made;
		},
	}),
	verb({
		name: 'vignette',
		phrases: 'vignette|vignetting|dark corners|darken corners|darken edges|dark edges',
		takes: { amount: percent(60, 1, 100), color: color([0, 0, 0]) },
		does: 'Darkens, or colours, towards the corners.',
		say: ({ amount }) => `vignette ${amount} %`,
		run: (picture, args, { check }) => {
			shape.vignette(picture, args.amount / 100, args.color, check);
			return picture;
		},
	}),
	verb({
		name: 'vintage',
		phrases: 'vintage|retro|old photo|look old|make old|=age|old fashioned|aged|nostalgic|antique',
		takes: {},
		does: 'Sepia, a little faded, with dark corners.',
		say: () => 'vintage',
		run: (picture, _, { check }) => {
			sepia(picture, 0.55);
			fade(picture, 0.35);
			shape.vignette(picture, 0.55, [30, 16, 4], check);
			return picture;
		},
	}),
];

/** The picture a little smaller, with transparent room around it; the size stays. */
function withMargin(picture: Bitmap, wanted: number, check: Check): Bitmap {
	const { width, height } = picture;
	const margin = Math.max(1, Math.round(wanted));
	const room = {
		width: Math.max(1, width - margin * 2),
		height: Math.max(1, height - margin * 2),
	};
	const made = blank(width, height);
	lay(made, covering(picture, room, check), margin, margin, 1, check);
	return made;
}
