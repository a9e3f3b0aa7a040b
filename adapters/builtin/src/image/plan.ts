import { adjust, mix, type Rgb, rgb } from '../scene/color.ts';
import { meaningOf, type Setting } from '../scene/lexicon.ts';
import type { Palette } from '../scene/palette.ts';
import { planScene, type ScenePlan } from '../scene/plan.ts';
import { wordsOf } from '../scene/prompt.ts';
import { aloneTree, leaveOut, partWanted } from './absent.ts';
import { quotationIn } from './caption-text.ts';
import { describe } from './describe.ts';
import { type Genre, genreOf, joinCompounds, lookUp, type Sitter, sitterOf } from './words.ts';

/** Everything that decides a drawn picture, as plain data: equal plans give equal pixels. */
export interface PicturePlan {
	readonly genre: Genre;
	readonly scene: ScenePlan;
	/** Counts in portraits. */
	readonly sitter: Sitter;
	/** The colours that the prompt names. */
	readonly colors: readonly Rgb[];
	readonly caption?: { readonly text: string; readonly place: 'top' | 'bottom' };
	/** Leaves out what lies behind everything, and softens the borders. */
	readonly transparent: boolean;
	/** `draft` is drawn at half the size and enlarged, `plain` at full size, `lit` gets glow, shade and grain as well. */
	readonly finish: 'draft' | 'plain' | 'lit';
}

/** What a plan is made from. */
export interface PictureWish {
	readonly prompt: string;
	readonly seed: number;
	readonly transparent: boolean;
	readonly quality: 'low' | 'medium' | 'high';
	/** 1 to 50. */
	readonly steps?: number;
	readonly style?: 'vivid' | 'natural';
}

/** Reads a prompt; `words` tells in English what will be drawn, and which words nobody knew. */
export function planPicture(wish: PictureWish): {
	readonly plan: PicturePlan;
	readonly words: string;
	readonly warnings: readonly string[];
} {
	const { prompt } = wish;
	const quotation = quotationIn(prompt);
	const said = wordsOf(quotation?.rest ?? prompt);
	// A prompt that is nothing but its caption still sets the mood.
	const all = joinCompounds(said.length > 0 ? said : wordsOf(quotation?.text ?? prompt));
	const { words: wanted, absent } = partWanted(all);
	const words = aloneTree(wanted);
	const genre = genreOf(words);
	const { scene, kept } = leaveOut(sceneOf(words, wish), absent);
	const place = /\b(?:at|on|along) (?:the )?top\b/.test(words.join(' ')) ? 'top' : 'bottom';
	const plan: PicturePlan = {
		genre,
		scene,
		sitter: sitterOf(words),
		colors: colorsIn(words),
		...(quotation && { caption: { text: quotation.text, place } }),
		transparent: wish.transparent,
		finish: finishOf(wish),
	};
	const warnings = quotation?.more ? ['Only the first quoted passage is written on the picture.'] : [];
	// Words that are only written are not misunderstood.
	const drawn = said.length > 0 ? words : words.filter((word) => lookUp(word, genre).kind !== 'unknown');
	return { plan, words: describe(plan, drawn, kept), warnings };
}

function sceneOf(words: readonly string[], { prompt, seed, style }: PictureWish): ScenePlan {
	const found = words.map((word) => meaningOf(word) ?? {});
	const has = (setting: Setting): boolean => found.some((each) => each.setting === setting);
	// The colour of a red car is not the colour of its street.
	const own = words.findIndex((word, i) => isColor(word) && meaningOf(words[i + 1] ?? '')?.subject);
	const text = [
		...(has('lake') && has('mountains') ? ['lake'] : []),
		...words.filter((_, i) => i !== own),
		// Nobody sees a rainbow at night; an hour that the prompt names comes first.
		...(words.includes('rainbow') ? ['day'] : []),
	].join(' ');
	const planned = planScene({ prompt: text, seed, composition: `${seed} ${prompt}` });
	const { subject, ...open } = planned;
	const wet = planned.setting === 'sea' || planned.setting === 'lake';
	// A harbour has boats, but not above the roofs of its city.
	const adrift = subject === 'boat' && !wet && words.some((word) => /^harbou?r$/.test(word));
	const colors = colorsIn(words);
	const tinted = colored(planned.palette, colors, planned.setting === 'abstract');
	const ownColor = meaningOf(words[own] ?? '')?.color;
	const palette = ownColor ? { ...tinted, accent: rgb(ownColor) } : tinted;
	return { ...(adrift ? open : planned), palette: styled(palette, style) };
}

/** True for a word that names a colour and nothing else. */
function isColor(word: string): boolean {
	const { color, ...rest } = meaningOf(word) ?? {};
	return color !== undefined && Object.keys(rest).length === 0;
}

/** The colours that the words name, in their order. The name of a flower is one only where no other is named. */
function colorsIn(words: readonly string[]): readonly Rgb[] {
	const named = words.map((word) => meaningOf(word) ?? {}).filter(({ color }) => color);
	const plain = named.filter(({ element }) => element !== 'flowers');
	const all = (plain.length > 0 ? plain : named).flatMap(({ color }) => color ?? []);
	return [...new Set(all)].map(rgb);
}

/** A still keeps closer to its colours than a video, and to a second one as well. */
function colored(palette: Palette, [first, second]: readonly Rgb[], bold: boolean): Palette {
	if (!first) return palette;
	if (!second) return { ...palette, accent: mix(palette.accent, first, 0.8) };
	const accent = mix(palette.accent, second, 0.9);
	return { ...palette, accent, ...(bold && { land: mix(palette.land, second, 0.7) }) };
}

/** Steps count where they are given. */
function finishOf({ quality, steps }: PictureWish): PicturePlan['finish'] {
	if (steps === undefined) return ({ low: 'draft', medium: 'plain', high: 'lit' } as const)[quality];
	return steps < 5 ? 'draft' : steps < 15 ? 'plain' : 'lit';
}

function styled(palette: Palette, style: PictureWish['style']): Palette {
	if (style === undefined) return palette;
	const share = style === 'vivid' ? 1.25 : 0.72;
	const tone = (color: Rgb): Rgb => adjust(color, 0, share);
	const [top, upper, lower, horizon] = palette.sky;
	return {
		sky: [tone(top), tone(upper), tone(lower), tone(horizon)],
		light: tone(palette.light),
		land: tone(palette.land),
		ink: tone(palette.ink),
		water: tone(palette.water),
		accent: tone(palette.accent),
		cloud: tone(palette.cloud),
		cloudShade: tone(palette.cloudShade),
	};
}
