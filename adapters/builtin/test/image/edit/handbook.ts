import type { Verb } from '../../../src/image/edit/grammar/verb.ts';
import { verbs } from '../../../src/image/edit/verbs/table.ts';
import { pixelEffects } from './effects.ts';
import { shapeEffects } from './shape-effects.ts';

/** The table of operations for the README: the name, a phrase whose effect is measured, and what the row says about itself. */
export function handbook(): string {
	const rows = verbs.map((verb) => `| ${verb.name} | ${phraseOf(verb)} | ${textOf(verb)} |`);
	return ['| operation | for example | what it does, and what it takes |', '|---|---|---|', ...rows].join('\n');
}

function phraseOf({ name }: Verb): string {
	const effect = pixelEffects[name] ?? shapeEffects[name];
	return effect ? `\`${effect.prompt}\`` : '';
}

function textOf({ does, takes }: Verb): string {
	const parameters = Object.entries(takes).map(([name, { about }]) => `*${name}* ${about}`);
	return [does, ...parameters].join('<br>');
}
