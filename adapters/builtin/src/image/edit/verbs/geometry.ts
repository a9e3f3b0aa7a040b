import { type Bitmap, blank, type Check, clampSize, type Size } from '../bitmap.ts';
import type { Parameter } from '../grammar/parameters.ts';
import { anyColor, choice, count, percent, place, placeName } from '../grammar/parameters.ts';
import { verb } from '../grammar/verb.ts';
import { lay } from '../ops/alpha.ts';
import { covering, fitted } from '../ops/combine.ts';
import * as geometry from '../ops/geometry.ts';
import { cropBox, cropSpan, resizedSize, sizeSpan, turnAngle } from './spans.ts';

const centre = { x: 0, y: 0 } as const;

const times: Parameter<number> = {
	about: '2 to 16 copies a side, usually 2',
	read: (words) => {
		const pair = words.pair('size');
		return pair ? words.bound(Math.max(pair.width, pair.height), 2, 16) : count(2, 2, 16).read(words);
	},
};

/** Operations that move pixels; most of them change the size. */
export const geometryVerbs = [
	verb({
		name: 'rotate',
		absorbs: ['upside down', 'flip'],
		phrases: 'rotate|rotation|turn =clockwise|quarter turn|turn =right|spin|tilt|straighten',
		takes: { degrees: turnAngle, behind: anyColor() },
		does: 'Turns clockwise; corners that become free are transparent, or have the colour that is named.',
		say: ({ degrees }) => `rotate ${degrees}°`,
		size: (size, { degrees }) => geometry.turnedSize(size, degrees),
		run: (picture, { degrees, behind }, { check }) => geometry.rotate(picture, degrees, behind, check),
	}),
	verb({
		name: 'turn left',
		phrases: 'turn =left|turn =counterclockwise|turn =anticlockwise',
		takes: {},
		does: 'Turns by a quarter, counterclockwise.',
		say: () => 'rotate -90°',
		size: (size) => geometry.turnedSize(size, -90),
		run: (picture, _, { check }) => geometry.turn(picture, -1, check),
	}),
	verb({
		name: 'upside down',
		absorbs: ['rotate', 'turn left'],
		phrases: 'upside down|on its head|upside down flip|upside down rotate',
		takes: {},
		does: 'Turns by half a circle.',
		say: () => 'rotate 180°',
		run: (picture) => geometry.turn(picture, 2),
	}),
	verb({
		name: 'flip',
		absorbs: ['upside down'],
		phrases: 'flip|flop',
		takes: {
			axis: {
				...choice('vertical', {
					horizontal: ['horizontally', 'sideways', 'left', 'right'],
					vertical: ['vertically', 'upside', 'down', 'top', 'bottom'],
				}),
				placed: true,
			},
		},
		does: 'Turns top and bottom round, or left and right.',
		say: ({ axis }) => `flip ${axis}`,
		run: (picture, { axis }) => {
			if (axis === 'vertical') geometry.flip(picture);
			else geometry.mirror(picture);
			return picture;
		},
	}),
	verb({
		name: 'mirror',
		absorbs: ['upside down'],
		phrases: 'mirror|mirror image|reflect|reflection',
		takes: {
			axis: choice('horizontal', {
				horizontal: ['horizontally'],
				vertical: ['vertically', 'upside', 'down'],
			}),
		},
		does: 'Turns left and right round, or top and bottom.',
		say: ({ axis }) => `mirror ${axis}`,
		run: (picture, { axis }) => {
			if (axis === 'vertical') geometry.flip(picture);
			else geometry.mirror(picture);
			return picture;
		},
	}),
	verb({
		name: 'crop',
		phrases: 'crop|cut to|=cut|cut off',
		takes: { place: place(centre), span: cropSpan },
		does: 'Keeps a part: a size, a ratio, a square, a share, or all but a share of one side.',
		say: ({ span, place: at }) =>
			`crop ${span.text}${span.kind === 'off' ? ` the ${placeName(at)}` : `, ${placeName(at)}`}`,
		size: (size, { span, place: at }) => cropBox(size, span, at),
		run: (picture, { span, place: at }, { scale }) => geometry.cut(picture, cropBox(picture, span, at, scale)),
	}),
	verb({
		name: 'trim',
		phrases: 'trim|trim borders|trim edges|autocrop|auto crop|remove borders|remove border|crop to content',
		takes: { tolerance: percent(6, 0, 100) },
		does: 'Takes an even border away.',
		say: () => 'trim',
		size: (size) => size,
		run: (picture, { tolerance }) => geometry.cut(picture, geometry.contentBox(picture, (tolerance / 100) * 255)),
	}),
	verb({
		name: 'resize',
		phrases: 'resize|scale|upscale|downscale|shrink|enlarge|resolution|rescale|=size|thumbnail',
		takes: { span: sizeSpan },
		does: 'Brings it to a size, a width, a height or a share; what does not have the shape is cropped around the middle.',
		lacks: ({ span }) => (span ? undefined : 'a size'),
		say: ({ span }) => `resize ${span?.text}`,
		size: (size, { span }) => resizedSize(size, span),
		run: (picture, { span }, { scale, check }) => {
			const { width, height } = resizedSize(picture, span, scale);
			return covering(picture, { width, height }, check);
		},
	}),
	verb({
		name: 'zoom',
		phrases: 'zoom|zoom in|closer|close up|magnify',
		takes: {
			place: place(centre),
			factor: {
				about: '10 to 1000 %, usually 150',
				read: (words) => {
					const out = words.word('out');
					const said = words.number('%', 'x', '');
					const usual = out ? 70 : 150;
					const value = said ? said.value * (said.unit === '%' || said.value > 10 ? 1 : 100) : usual;
					return words.bound(out && value > 100 ? 10_000 / value : value, 10, 1000);
				},
			},
		},
		does: 'Enlarges the middle, or the part that is named; the size stays.',
		say: ({ factor, place: at }) => `zoom ${Math.round(factor)} %, ${placeName(at)}`,
		run: (picture, { factor, place: at }, { check }) => {
			const share = Math.min(factor / 100, 100 / factor);
			const part: Size = {
				width: Math.max(1, Math.round(picture.width * share)),
				height: Math.max(1, Math.round(picture.height * share)),
			};
			const box = geometry.boxAt(picture, part, at);
			if (factor > 100) return fitted(geometry.cut(picture, box), picture, check);
			const made = blank(picture.width, picture.height);
			lay(made, fitted(picture, part, check), box.x, box.y, 1, check);
			return made;
		},
	}),
	verb({
		name: 'pad',
		phrases: 'pad|padding|margin|extend canvas|expand canvas|white space|letterbox|canvas|add space',
		takes: {
			span: {
				about: 'pixels, percent, or a ratio; usually 10 %',
				read: (words) => {
					const ratio = words.pair('ratio');
					if (ratio && ratio.width > 0 && ratio.height > 0) {
						return {
							kind: 'ratio',
							value: words.bound(ratio.width / ratio.height, 0.05, 20),
						} as const;
					}
					if (words.word('square')) return { kind: 'ratio', value: 1 } as const;
					const share = words.number('%');
					if (share) return { kind: 'share', value: words.bound(share.value, 0, 200) / 100 } as const;
					const said = words.number('px', '');
					if (said) return { kind: 'px', value: words.bound(said.value, 0, 2000) } as const;
					return { kind: 'share', value: 0.1 } as const;
				},
			},
			behind: anyColor(),
		},
		does: 'Adds room on all sides, white or in the colour that is named.',
		say: ({ span }) =>
			span.kind === 'px'
				? `pad ${span.value} px`
				: span.kind === 'share'
					? `pad ${Math.round(span.value * 100)} %`
					: `pad to ratio ${span.value.toFixed(2)}`,
		size: (size, { span }) => clampSize(paddedSize(size, span)),
		run: (picture, { span, behind }, { scale, transparent, check }) => {
			const whole = paddedSize(picture, span, scale);
			const size = clampSize(whole);
			const shrink = size.width / whole.width;
			const inner = {
				width: Math.max(1, Math.round(picture.width * shrink)),
				height: Math.max(1, Math.round(picture.height * shrink)),
			};
			return geometry.onCanvas(
				fitted(picture, inner, check),
				size,
				behind ?? (transparent ? undefined : [255, 255, 255]),
				check,
			);
		},
	}),
	verb({
		name: 'tile',
		phrases: 'tile|tiled|repeat|pattern|wallpaper',
		takes: { times },
		does: 'Repeats it in both directions; the size stays.',
		say: ({ times: number }) => `tile ${number}x${number}`,
		run: (picture, { times: number }, { check }) => tiled(picture, number, false, check),
	}),
	verb({
		name: 'mirror tile',
		phrases: 'mirror tile|mirrored tile|seamless tile|tile mirrored|kaleidoscope|seamless pattern',
		takes: { times },
		does: 'Repeats it in both directions, every second copy turned round, so that no seams show; the size stays.',
		say: ({ times: number }) => `mirror tile ${number}x${number}`,
		run: (picture, { times: number }, { check }) => tiled(picture, number, true, check),
	}),
	verb({
		name: 'skew',
		phrases: 'skew|shear|slant',
		takes: { amount: percent(20, 1, 100), behind: anyColor() },
		does: 'Leans it to the right; the size stays.',
		say: ({ amount }) => `skew ${amount} %`,
		run: (picture, { amount, behind }, { check }) =>
			geometry.warp(picture, picture, [1 + amount / 100, amount / 100, 0, 1 + amount / 100], behind, check),
	}),
];

function tiled(picture: Bitmap, times: number, mirrored: boolean, check: Check): Bitmap {
	const part = (length: number): number => Math.max(1, Math.ceil(length / times));
	const size = { width: part(picture.width), height: part(picture.height) };
	const small = fitted(picture, size, check);
	return geometry.tile(small, picture, mirrored, check);
}

function paddedSize(
	{ width, height }: Size,
	span: { readonly kind: 'ratio' | 'share' | 'px'; readonly value: number },
	scale = 1,
): Size {
	if (span.kind === 'ratio') {
		return width / height < span.value
			? { width: Math.round(height * span.value), height }
			: { width, height: Math.round(width / span.value) };
	}
	const more = Math.round(span.kind === 'px' ? span.value * scale : Math.min(width, height) * span.value);
	return { width: width + 2 * more, height: height + 2 * more };
}
