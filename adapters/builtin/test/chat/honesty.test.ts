import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, pdf } from './conversation.ts';

const things = ['harbour', 'lamp', 'contract', 'engine', 'garden', 'budget', 'ferry', 'school', 'bridge', 'museum'];
const thing = fc.constantFrom(...things);
const figure = fc.oneof(
	fc.integer({ min: 0, max: 99_999 }).map(String),
	fc.integer({ min: 1, max: 9_999_999 }).map((cents) => `$${(cents / 100).toFixed(2)}`),
	fc.integer({ min: 1800, max: 2030 }).map(String),
	fc.integer({ min: 1, max: 28 }).map((day) => `${day} May 2021`),
	fc.integer({ min: 1, max: 99 }).map((share) => `${share}%`),
);
const sentence = fc
	.record({ thing, other: thing, figure, shape: fc.nat(4) })
	.map(
		({ thing, other, figure, shape }) =>
			[
				`The ${thing} cost ${figure} last year.`,
				`In ${figure} the ${thing} was replaced by a ${other}.`,
				`${thing}: ${figure}`,
				`${thing}          ${figure}          ${other}`,
				`Nobody in the ${other} knows the ${thing} of ${figure}.`,
			][shape] ?? '',
	);
const document = fc
	.array(fc.array(sentence, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 })
	.map((pages) => pdf('paper.pdf', ...pages.map((lines) => lines.join('\n\n'))));
const question = fc
	.record({ thing, other: thing, figure, shape: fc.nat(11) })
	.map(
		({ thing, other, figure, shape }) =>
			[
				`How much did the ${thing} cost?`,
				`When was the ${thing} replaced?`,
				`How many ${thing}s are in the ${other}?`,
				`What happened in ${figure}?`,
				`What is ${figure} plus ${figure}?`,
				`Who knows the ${thing}?`,
				'Summarise the document',
				`Quote the sentence with "${thing}"`,
				`What is the ${thing} of the ${other}?`,
				`Did the ${thing} cost ${figure}?`,
				'What is on page 2?',
				`What percentage of the ${thing} is the ${other}?`,
			][shape] ?? '',
	);

describe('an answer', () => {
	it('has no number that does not stand in the document, places aside', async () => {
		await fc.assert(
			fc.asyncProperty(document, question, async (paper, asked) => {
				const { text } = await ask(asked, [paper]);
				const said = text.replace(
					/\(paper\.pdf, page \d+\)|paper\.pdf, page \d+:?|has \d+ pages?|\d+ more passages?/g,
					'',
				);
				const known = new Set(paper.text.match(/\d+/g));
				const invented = (said.match(/\d+/g) ?? []).filter((number) => !known.has(number));
				expect(invented, text).toEqual([]);
			}),
			{ numRuns: 150 },
		);
	});

	it('quotes word for word, and from the page that it names', async () => {
		await fc.assert(
			fc.asyncProperty(document, question, async (paper, asked) => {
				const { text } = await ask(asked, [paper]);
				for (const [, quote = '', page = ''] of text.matchAll(/“([^”]+)” \(paper\.pdf, page (\d+)\)/g)) {
					const there = paper.pages[Number(page) - 1]?.text.replace(/\s+/g, ' ');
					expect(there).toContain(quote.replace(/\s+/g, ' '));
				}
			}),
			{ numRuns: 80 },
		);
	});

	it('counts rightly what it lists', async () => {
		await fc.assert(
			fc.asyncProperty(
				document,
				fc.constantFrom('List all dates', 'List all amounts', 'List the percentages'),
				async (paper, asked) => {
					const { text } = await ask(asked, [paper]);
					const items = text.split('\n').filter((line) => line.startsWith('- ')).length;
					expect(Number(/^\d+/.exec(text)?.[0] ?? 0)).toBe(items);
				},
			),
			{ numRuns: 40 },
		);
	});
});
