import type { Rgb } from '../../../scene/color.ts';
import { type Bitmap, blank, type Check, copy, type Size, solid } from '../bitmap.ts';
import { colorName } from '../grammar/colors.ts';
import { anyColor, choice, colors, percent, picture as pictureOf } from '../grammar/parameters.ts';
import { nowhere, type Tools, verb } from '../grammar/verb.ts';
import { lay } from '../ops/alpha.ts';
import { cutOut, findSubject } from '../ops/background.ts';
import { blur } from '../ops/blur.ts';
import { mapToGradient } from '../ops/color.ts';
import { fitted } from '../ops/combine.ts';
import { judgeCut } from '../ops/cut-quality.ts';
import { heal } from '../ops/heal.ts';
import { double, halve } from '../ops/scale.ts';

const tolerance = percent(12, 1, 100);

const WHITE = [255, 255, 255] as const;

/** The subject, or nothing (and the reason) where it cannot be told from the background; what is doubtful is said. */
function tell(
	picture: Bitmap,
	percentage: number,
	{ check, skip, note }: Pick<Tools, 'check' | 'skip' | 'note'>,
): Uint8Array | undefined {
	const subject = findSubject(picture, percentage / 100, check);
	const { refusal, doubt } = judgeCut(subject, picture);
	if (refusal) skip(refusal);
	else if (doubt) note(doubt);
	return refusal ? undefined : subject;
}

/** Operations on what lies around the subject. The background is what can be reached from the border through similar colours. */
export const backgroundVerbs = [
	verb({
		name: 'remove background',
		anywhere: true,
		phrases:
			'remove background|background removal|transparent background|background transparent|no background|cut out|cutout|isolate subject|isolate|erase background|delete background|without background|extract subject|knock out background',
		takes: { named: anyColor(), tolerance },
		does: 'Makes the background transparent, with a soft border; naming its colour changes nothing.',
		say: () => 'remove background',
		run: (picture, args, tools) => {
			const subject = tell(picture, args.tolerance, tools);
			if (subject) cutOut(picture, subject, tools.check);
			return picture;
		},
	}),
	verb({
		name: 'replace background',
		anywhere: true,
		phrases:
			'replace background|replace =it|change background|background color|new background|background|swap background|set background|fill background|behind',
		takes: {
			colors: colors(4),
			way: choice('linear', {
				linear: ['vertical'],
				radial: ['circular'],
			}),
			other: pictureOf(),
			tolerance,
		},
		does: 'Puts a colour, a gradient, or a further picture behind the subject.',
		lacks: (args) =>
			args.colors.length > 0 || args.other !== undefined ? undefined : 'a colour, a gradient or a picture',
		say: (args) =>
			args.other === undefined
				? `background ${args.colors.map(colorName).join(' to ')}`
				: `background image ${args.other + 1}`,
		wants: ({ width, height }, { other }) =>
			other === undefined ? [] : [{ index: other, width, height, mode: 'cover' }],
		run: (picture, args, tools) => {
			const subject = tell(picture, args.tolerance, tools);
			if (!subject) return picture;
			cutOut(picture, subject, tools.check);
			const [other] = tools.pictures;
			const behind = other ? copy(fitted(other, picture)) : ramp(picture, args.colors, args.way === 'radial');
			lay(behind, picture, 0, 0, 1, tools.check);
			return behind;
		},
	}),
	verb({
		name: 'blur background',
		anywhere: true,
		phrases:
			'blur background|background blur|bokeh|blurred background|shallow depth of field|portrait mode|soften background',
		takes: { amount: percent(50, 1, 100), tolerance },
		does: 'Blurs what lies around the subject.',
		say: () => 'blur background',
		run: (picture, args, tools) => {
			const { check } = tools;
			const subject = tell(picture, args.tolerance, tools);
			if (!subject) return picture;
			const sigma = (Math.min(picture.width, picture.height) * args.amount) / 2000;
			const soft = blurredAround(picture, subject, sigma, check);
			cutOut(picture, subject, check);
			lay(soft, picture, 0, 0, 1, check);
			return soft;
		},
	}),
	verb({
		name: 'fill',
		reach: nowhere,
		phrases: 'fill|flood|paint|paint over|cover|fill =with|solid color|paint it',
		takes: { color: anyColor() },
		lacks: (args) => (args.color ? undefined : 'a colour'),
		does: 'Paints everything (with a mask: what it opens) in a colour.',
		say: (args) => `fill ${colorName(args.color ?? WHITE)}`,
		run: (picture, args) => solid(picture.width, picture.height, args.color ?? WHITE),
	}),
	verb({
		name: 'erase',
		reach: nowhere,
		phrases: 'erase|make hole|punch hole|clear|cut hole',
		takes: {},
		needsMask: true,
		does: 'Makes what the mask opens transparent.',
		say: () => 'erase',
		run: (picture) => solid(picture.width, picture.height, [0, 0, 0, 0]),
	}),
	verb({
		name: 'heal',
		phrases:
			'heal|inpaint|remove object|remove person|erase object|remove =it|remove =this|remove thing|retouch|patch|fill hole|remove blemish|delete object|remove subject|content aware fill',
		takes: {},
		needsMask: true,
		does: 'Fills what the mask opens smoothly with the colours around it.',
		say: () => 'heal',
		run: (picture, _, { keep, check }) => {
			if (keep) heal(picture, keep, check);
			return picture;
		},
	}),
];

/** What is behind the subject, guessed from what is around it, and blurred; where that hides all detail, from a copy of half the size. */
function blurredAround(picture: Bitmap, subject: Uint8Array, sigma: number, check: Check): Bitmap {
	if (sigma < 4) {
		const soft = copy(picture);
		heal(
			soft,
			subject.map((share) => 255 - share),
			check,
		);
		blur(soft, sigma, check);
		return soft;
	}
	const small = halve(picture, check);
	heal(small, halvedRest(subject, picture), check);
	blur(small, sigma / 2, check);
	const soft = blank(picture.width, picture.height);
	double(small, soft, check);
	return soft;
}

/** 255 where none of four pixels is of the subject. */
function halvedRest(subject: Uint8Array, { width, height }: Size): Uint8Array {
	const [w, h] = [(width + 1) >> 1, (height + 1) >> 1];
	const rest = new Uint8Array(w * h).fill(255);
	for (let y = 0, k = 0; y < height; y++) {
		for (let x = 0; x < width; x++, k++) {
			if (subject[k] !== 0) rest[(y >> 1) * w + (x >> 1)] = 0;
		}
	}
	return rest;
}

/** Colours from top to bottom, or from the middle outwards. */
function ramp({ width, height }: Bitmap, stops: readonly Rgb[], radial: boolean): Bitmap {
	const made = solid(width, height, stops[0] ?? [255, 255, 255]);
	if (stops.length < 2) return made;
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const [dx, dy] = [(x + 0.5) / width - 0.5, (y + 0.5) / height - 0.5];
			const at = radial ? Math.min(1, Math.hypot(dx, dy) * Math.SQRT2) : dy + 0.5;
			made.data.fill(Math.round(at * 255), (y * width + x) * 4, (y * width + x) * 4 + 3);
		}
	}
	mapToGradient(made, stops);
	return made;
}
