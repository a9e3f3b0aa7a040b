import type { Language } from '../grammar/parse.ts';
import { createFinder } from '../grammar/phrases.ts';
import { createCorrector } from '../grammar/typos.ts';
import type { Verb } from '../grammar/verb.ts';
import { backgroundVerbs } from './background.ts';
import { colorVerbs } from './color.ts';
import { combineVerbs } from './combine.ts';
import { filterVerbs } from './filter.ts';
import { frameVerbs } from './frame.ts';
import { geometryVerbs } from './geometry.ts';
import { textVerbs } from './text.ts';
import { toneVerbs } from './tone.ts';

/** Every operation that the editor knows. */
export const verbs: readonly Verb[] = [
	...toneVerbs,
	...colorVerbs,
	...filterVerbs,
	...geometryVerbs,
	...frameVerbs,
	...backgroundVerbs,
	...textVerbs,
	...combineVerbs,
];

const byName = new Map(verbs.map((verb) => [verb.name, verb]));

/** The row of an operation; it has to be one of {@link verbs}. */
export function verbNamed(name: string): Verb {
	const verb = byName.get(name);
	if (!verb) throw new Error(`There is no operation "${name}".`);
	return verb;
}

/** What prompts are read with: the phrases of {@link verbs}, what they may leave out, and what undoes what. */
export const language: Language = {
	find: createFinder(verbs),
	correct: createCorrector(verbs.flatMap(({ phrases }) => phrases)),
	// `make the red parts blue`, `add "Hi"`, `put image 2 on top`, `make it square`.
	silent: {
		text: [verbNamed('text')],
		image: [verbNamed('overlay')],
		size: [verbNamed('resize')],
		span: [verbNamed('resize'), verbNamed('crop')],
		ratio: [verbNamed('crop')],
		color: ['replace colour', 'tint', 'colour key'].map(verbNamed),
	},
	opposites: {
		blur: { verb: verbNamed('sharpen') },
		sharpen: { verb: verbNamed('blur'), args: { radius: 1 } },
		noise: { verb: verbNamed('denoise') },
		desaturate: { verb: verbNamed('saturate') },
		fade: { verb: verbNamed('contrast') },
		border: { verb: verbNamed('trim'), removes: true },
		frame: { verb: verbNamed('trim'), removes: true },
	},
};
