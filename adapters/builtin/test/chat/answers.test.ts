import { describe, expect, it } from 'vitest';
import { ask, assistant, lighthouse, note, talk, user } from './conversation.ts';

const bakery = note(
	'bakery.txt',
	'The bakery on Mill Lane was opened in 1998 by Jon Aske.\n\nIt closes on Mondays. A loaf of rye bread costs $4.20.',
);

describe('a question about documents', () => {
	it.each([
		['When was the lighthouse built?', '1874', 1],
		['Who was the engineer?', 'Clara Whitcombe', 1],
		['Are dogs allowed?', 'Dogs are not allowed in the tower.', 1],
		['How much does an adult pay on a weekend?', '$11.00', 2],
		['Which discount do groups get?', '15%', 2],
		['Who is the warden?', 'Oliver Brandt', 2],
		['When is the gallery closed?', '60 km/h', 3],
	])('%s is answered with a passage and its page', async (question, fact, page) => {
		const { text, reason } = await ask(question, [lighthouse]);
		const [, quote] = /“([^”]+)” \(lighthouse\.pdf, page (\d)\)/.exec(text) ?? [];
		expect(quote).toContain(fact);
		expect(text).toContain(`(lighthouse.pdf, page ${page})`);
		expect(reason).toBe('stop');
	});

	it('is answered with quotes from the named page', async () => {
		const { text } = await ask('Where does the tower stand, and who may climb the stairs to the gallery?', [
			lighthouse,
		]);
		const quotes = [...text.matchAll(/“([^”]+)” \(lighthouse\.pdf, page (\d+)\)/g)];
		expect(quotes.length).toBeGreaterThan(0);
		expect(quotes.length).toBeLessThanOrEqual(3);
		for (const [, quote, page] of quotes) {
			expect(lighthouse.pages[Number(page) - 1]?.text.replace(/\s+/g, ' ')).toContain(quote);
		}
	});

	it('gets no page number for a format without pages', async () => {
		const { text } = await ask('What does rye bread cost?', [bakery]);
		expect(text).toContain('A loaf of rye bread costs $4.20.” (bakery.txt)');
	});

	it('finds words in spite of misspellings, inflections and accents', async () => {
		const cafe = note('cafe.txt', 'The café hired seven waitresses.\n\nIts accountant lives in Łódź.');
		expect((await ask('Who hired waitreses?', [cafe])).text).toContain('seven waitresses');
		expect((await ask('Which cafe hires?', [cafe])).text).toContain('seven waitresses');
	});

	it('finds words in scripts without spaces', async () => {
		const report = note('report.txt', '東京タワーの高さは333メートルです。\n\n京都は古い都市です。');
		expect((await ask('東京タワーの高さ', [report])).text).toContain('333');
	});

	it('searches the documents of every message, each passage once', async () => {
		const { text } = await talk([
			user('Hello', lighthouse, bakery),
			assistant('Hello.'),
			user('Who opened the bakery?', bakery),
		]);
		expect(text.match(/Jon Aske/g)).toHaveLength(1);
		expect(text).toContain('(bakery.txt)');
		expect(text).not.toContain('lighthouse.pdf');
	});

	it('is answered with a note when no passage matches', async () => {
		for (const question of ['What is the capital of Mongolia?', 'Who won the world cup?']) {
			expect((await ask(question, [lighthouse])).text).toMatch(/^Not found in the attached documents/);
		}
	});

	it('gets the same answer for the same request', async () => {
		const question = 'Tell me about the lamp';
		expect(await ask(question, [lighthouse])).toEqual(await ask(question, [lighthouse]));
	});

	it('ignores the placeholder text for a picture', async () => {
		const note = { type: 'text', text: '[A picture is attached here. This model accepts no pictures.]' } as const;
		const { text } = await talk([
			{ role: 'user', content: [note, lighthouse, { type: 'text', text: 'Who is the warden?' }] },
		]);
		expect(text).toContain('Oliver Brandt');
	});
});

describe('a message without a question', () => {
	it.each(['', 'Summarise this document.', 'What is this about?'])(
		'is answered with the beginning of each document: "%s"',
		async (message) => {
			const { text } = await ask(message, [lighthouse, bakery]);
			expect(text).toContain('Harbour Lighthouse');
			expect(text).toContain('(lighthouse.pdf, page 1)');
			expect(text).toContain('Mill Lane');
			expect(text).toContain('(bakery.txt)');
		},
	);

	it('is answered with a note when the document has no text', async () => {
		expect((await ask('', [note('a.txt', ' \n ')])).text).toContain('no text');
	});
});

describe('the description of the model', () => {
	it.each(['hello', 'Good morning!', 'Who are you?', 'What can you do?'])(
		'is the answer to "%s", also with documents',
		async (message) => {
			expect((await ask(message, [lighthouse])).text).toContain('I am builtin-chat');
		},
	);

	it('is the answer without documents, and explains how to attach one', async () => {
		const { text } = await ask('What is the capital of France?');
		expect(text).toContain('without a neural network');
		expect(text).toContain('file_data');
		expect(text).not.toContain('Paris');
	});
});
