import { expect, test } from 'vitest';
import { readabilityOf, sentencesOf } from '../../scripts/readability/sentences.ts';

const told = (markdown: string) => sentencesOf(markdown).map((words) => words.join(' '));

test.each([
	['ends at a full stop', 'One thing. Another thing! A third?', ['One thing.', 'Another thing!', 'A third?']],
	['continues over lines', 'One thing\nthat goes on. Then\nanother.', ['One thing that goes on.', 'Then another.']],
	['continues after an abbreviation', 'Use a tool, e.g. Ollama, here.', ['Use a tool, e.g. Ollama, here.']],
	['continues after a number', 'It needs Node 22.19 or newer.', ['It needs Node 22.19 or newer.']],
	['may end in quotes', 'He said “no.” She left.', ['He said “no.”', 'She left.']],
	['may begin with code', 'Stop it. `plinth check` runs.', ['Stop it.', 'code runs.']],
	[
		'is each item of a list',
		'Two kinds:\n- a first\n- a second\n  that is long',
		['Two kinds:', 'a first', 'a second that is long'],
	],
	['counts code as one word', 'Run `npm run docs -- --x` now.', ['Run code now.']],
	['has the text of a link, not its address', 'See [the guide](a/b-c.md#d).', ['See the guide.']],
	['is not a table', 'Before.\n\n| a | b |\n|---|---|\n| c | d |\n\nBehind.', ['Before.', 'Behind.']],
	['is not code', 'Before.\n```ts\nconst a = 1. Then;\n```\nBehind.', ['Before.', 'Behind.']],
	['has text other than code', 'Before.\n\n`401` `E_KEY_MISSING`\n\nBehind.', ['Before.', 'Behind.']],
	[
		'is not a heading, front matter or a container',
		'---\nlayout: home\n---\n# Title here\n::: code-group\nText.',
		['Text.'],
	],
])('a sentence %s', (_name, markdown, sentences) => {
	expect(told(markdown)).toEqual(sentences);
});

test('a page is measured by its mean and its longest sentence', () => {
	const { sentences, words, mean, longest } = readabilityOf('One two three. One two three four five.');
	expect({ sentences, words, mean, longest: longest.length }).toEqual({ sentences: 2, words: 8, mean: 4, longest: 5 });
	expect(readabilityOf('# Nothing').mean).toBe(0);
});
