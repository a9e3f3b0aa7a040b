import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commands } from '../../../src/image/edit/commands.ts';
import { parsePrompt } from '../../../src/image/edit/parse.ts';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const table = readme.slice(
	readme.indexOf('| command | examples |'),
	readme.indexOf('- `revised_prompt` has what was done'),
);
const examples = [...table.matchAll(/`([^`]+)`/g)].map(([, example]) => example ?? '');

it.each(examples)('understands the example of the README: %s', (example) => {
	expect(parsePrompt(example)).toMatchObject({ steps: [{}], unknown: [] });
});

it('has an example of every command in the README', () => {
	const shown = new Set(examples.flatMap((example) => parsePrompt(example).steps.map(({ command }) => command.name)));
	expect([...shown].toSorted()).toEqual([...new Set(commands.map(({ name }) => name))].toSorted());
});

it.each([
	['sepia, round corners 60, add text "Wish you were here" at the bottom', 3, []],
	['warm, vignette, white border 24, add text "Wish you were here" at the bottom', 4, []],
	['sepia, then vignette', 2, []],
	['sepia, then blur the background', 1, ['blur the background']],
	['Make it black and white and a bit brighter.', 2, []],
	['add text "Summer, and then: 1952"\nblur 2.5', 2, []],
	["Don't blur it, please; invert!", 1, ["Don't blur it"]],
	['make the sky darker', 0, ['make the sky darker']],
	['blur 90 degrees', 0, ['blur 90 degrees']],
	['bright constructor __proto__', 0, ['bright constructor __proto__']],
])('reads %s', (prompt, count, unknown) => {
	const reading = parsePrompt(prompt);
	expect([reading.steps.length, reading.unknown]).toEqual([count, unknown]);
});
