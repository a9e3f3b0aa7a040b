import type { Command, Range, Run } from './command.ts';
import * as effects from './effects.ts';

const length = (usual: number): Range => [['px', '%'], usual, 1, 10_000];
const none: Range = [[], 0, 0, 0];
const luma: [number, number, number] = [0.299, 0.587, 0.114];
const percent = (usual: number, min = 1, max = 100): Range => [['%'], usual, min, max];

/** All commands. The last column has the arguments; one of those after `!` is required. */
export const commands: readonly Command[] = [
	row('resize', '(?:resize|scale)d?|fit', effects.resize, length(0), '!size value'),
	row('resize', '', effects.resize, none, '!size'),
	row('crop', 'crop(?:ped)?', effects.crop, percent(0), 'x y !size ratio value'),
	row('rotate', 'rotated?|turn(?:ed)?', effects.rotate, [['°'], 90, -360, 360], 'x color'),
	row('upside down', 'upside down', ({ image }) => image.rotate(180)),
	row('flip', 'flip(?:ped)?|(?:flip|mirror) vertical(?:ly)?', ({ image }) => image.flip()),
	row('mirror', 'mirror(?:ed)?|(?:flip|mirror) horizontal(?:ly)?', ({ image }) => image.flop()),
	row('blur', 'blur(?:red|ry|rier)?|soften', ({ image, value }) => image.blur(value), [['px'], 4, 0.3, 100]),
	row('sharpen', 'sharp(?:en|er)?', (e) => e.image.sharpen({ sigma: 1.2, m2: e.value / 25 }), percent(80, 1, 500)),
	row('grayscale', 'gr[ae]y ?scale|gr[ae]y|b&w', ({ image }) => image.recomb([luma, luma, luma])),
	row('sepia', 'sepia|vintage', ({ image }) => image.tint('#e0c098')),
	row('warm', 'warm(?:er| up)?', (e) => effects.toned(e, [0.4, 0.04, -0.4]), percent(40, -100)),
	row('cool', 'cool(?:er| down)?|colder', (e) => effects.toned(e, [-0.4, -0.04, 0.4]), percent(40)),
	row('brightness', 'bright(?:en|er|ness)?|light(?:en|er)', (e) => effects.toned(e, [1, 1, 1]), percent(25, -100, 200)),
	row('darken', 'dark(?:en|er)?', (e) => effects.toned(e, [-1, -1, -1]), percent(25)),
	row('contrast', 'contrast', (e) => effects.toned(e, [1, 1, 1], 128), percent(25, -100, 200)),
	row('saturation', 'saturat(?:e|ion)', (e) => e.image.modulate({ saturation: 1 + e.value / 100 }), percent(35, -100)),
	row('invert', 'invert(?:ed)?|negative', ({ image }) => image.negate({ alpha: false })),
	row('vignette', 'vignette|dark(?:en)? (?:corners|edges)', effects.vignette, percent(60)),
	row('border', 'border|framed?', effects.border, length(3), 'color'),
	row('round corners', 'round(?:ed)?(?: corners)?', effects.roundCorners, length(10)),
	row('text', '(?:text|write|title|caption|words|says)?', effects.write, [['px'], 0, 4, 1000], 'color x y !text'),
	row('remove background', '(?:remove|erase|transparent) background|background transparent|cut out', effects.cutOut),
	row('overlay', '(?:overlay|insert|paste)?', effects.overlay, percent(30), 'x y !input'),
	row('side by side', 'side side|collage', effects.sideBySide),
];

function row(name: string, words: string, run: Run, range = none, args = ''): Command {
	const [accepts = [], needs = []] = args.split('!').map((part) => part.split(' ').filter(Boolean));
	const all = [...accepts, ...needs, ...(range === none ? [] : ['value', 'unit', 'factor', 'sign'])];
	const resizes = /^(?:resize|crop|rotate|side by side)$/.test(name);
	return { name, words: new RegExp(`^(?:${words})$`), run, range, accepts: all, needs, resizes };
}
