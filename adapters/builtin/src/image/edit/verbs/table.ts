import type { SilentVerbs } from '../grammar/parse.ts';
import { createFinder } from '../grammar/phrases.ts';
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

/** Finds the phrases of {@link verbs}. */
export const findVerb = createFinder(verbs);

const byName = new Map(verbs.map((verb) => [verb.name, verb]));

/** The row of an operation; it has to be one of {@link verbs}. */
export function verbNamed(name: string): Verb {
	const verb = byName.get(name);
	if (!verb) throw new Error(`There is no operation "${name}".`);
	return verb;
}

/** Rows that a clause without any phrase may still mean, by what it holds: `make the red parts blue`, `add "Hi"`, `put image 2 on top`. */
export const silentVerbs: SilentVerbs = {
	text: [verbNamed('text')],
	image: [verbNamed('overlay')],
	size: [verbNamed('resize')],
	color: ['replace colour', 'tint', 'colour key'].map(verbNamed),
};
