import { describe, expect, it } from 'vitest';
import { ask, assistant, lighthouse, note, pdf, talk, user } from './conversation.ts';

const invoice = pdf(
	'invoice.pdf',
	'Invoice 17\n\nDate: 4 May 2024\n\nTotal: $57.40\n\nQuestions: pay@acme.example, help@acme.example',
	'Paid on 2024-05-20. Total: $57.40. See https://acme.example/terms. Call +44 1632 960 123.',
);

describe('a list', () => {
	it.each([
		['List all dates', ['4 May 2024', '2024-05-20']],
		['Which amounts are there?', ['$57.40']],
		['Extract the e-mail addresses', ['pay@acme.example', 'help@acme.example']],
		['show me all links', ['https://acme.example/terms']],
		['List the phone numbers', ['+44 1632 960 123']],
	])('%s names each thing once, and where it stands', async (wish, things) => {
		const { text } = await ask(wish, [invoice]);
		const items = text.split('\n').filter((line) => line.startsWith('- '));
		expect(items.map((item) => item.slice(2, item.indexOf(' (')))).toEqual(things);
		expect(items.every((item) => item.includes('(invoice.pdf, page '))).toBe(true);
	});

	it('of headings keeps their order', async () => {
		const { text } = await ask('What are the headings?', [lighthouse]);
		const at = ['History', 'Opening hours', 'Tickets', 'Contact', 'Safety'].map((name) => text.indexOf(name));
		expect(at.every((one, index) => one >= 0 && (index === 0 || one > (at[index - 1] ?? 0)))).toBe(true);
	});

	it('of the files names their pages', async () => {
		const { text } = await ask('Which files are attached?', [lighthouse, note('a.txt', 'Hello.')]);
		expect(text).toContain('- lighthouse.pdf: 3 pages');
		expect(text).toContain('- a.txt');
	});

	it('says when there is nothing of the kind', async () => {
		const { text } = await ask('List all links', [lighthouse]);
		expect(text).toContain('there are no links');
	});
});

describe('a count', () => {
	const counted = pdf('counted.pdf', 'Red apples and red pears.', 'Red is a colour. Infrared is not.');

	it.each([
		['How many words are there?', '12 words'],
		['How many pages does it have?', '2 pages'],
		['How many times is "red" mentioned?', '3 times'],
		['How often does red occur on page 2?', '1 time '],
		['How many documents are attached?', '1 document'],
		['How many e-mail addresses are there?', '0 e-mail addresses'],
	])('%s is right', async (question, answer) => {
		expect((await ask(question, [counted])).text).toContain(answer);
	});

	it('is given for each of several files', async () => {
		const { text } = await ask('How many times is "red" mentioned?', [counted, note('b.txt', 'Red, red.')]);
		expect(text).toContain('5 times: 3 times in counted.pdf and 2 times in b.txt');
	});
});

describe('a summary', () => {
	it('quotes few sentences in the order of the document', async () => {
		const { text } = await ask('Summarise this document', [lighthouse]);
		const pages = [...text.matchAll(/page (\d)\)/g)].map(([, page]) => Number(page));
		expect(pages.length).toBeGreaterThanOrEqual(2);
		expect(pages.length).toBeLessThanOrEqual(6);
		expect(pages).toEqual([...pages].sort());
	});

	it('has as many sentences as are asked for', async () => {
		const { text } = await ask('Summarise it in two sentences', [lighthouse]);
		expect(text.match(/page \d\)/g)).toHaveLength(2);
	});

	it('is what a message without words gets', async () => {
		expect((await ask('', [lighthouse])).text).toContain('(lighthouse.pdf, page 1)');
	});

	it('has sentences of every file', async () => {
		const { text } = await ask('Give me an overview', [
			lighthouse,
			note('b.txt', 'Bees make honey. Bees live in hives.'),
		]);
		expect(text).toContain('(lighthouse.pdf');
		expect(text).toContain('(b.txt)');
	});
});

describe('a quote', () => {
	it('is the sentence with the words in quotation marks, verbatim, with its place', async () => {
		const { text } = await ask('Quote the sentence with "the horn"', [lighthouse]);
		expect(text).toBe('“Leave the tower when the horn sounds.” (lighthouse.pdf, page 3)');
	});

	it('is found without quotation marks as well', async () => {
		const { text } = await ask('Which sentence mentions the handrail?', [lighthouse]);
		expect(text).toContain('“Hold the handrail on the stairs.” (lighthouse.pdf, page 3)');
	});
});

describe('a page', () => {
	it('is shown', async () => {
		const { text } = await ask('What is on page 3?', [lighthouse]);
		expect(text).toContain('Do not lean over the gallery.');
		expect(text).not.toContain('page 2');
	});

	it('that does not exist is said not to', async () => {
		expect((await ask('What is on page 9?', [lighthouse])).text).toContain('lighthouse.pdf has 3 pages');
	});

	it('can be another one in the next turn', async () => {
		const { text } = await talk([user('What is on page 3?', lighthouse), assistant('…'), user('And on page 2?')]);
		expect(text).toContain('Oliver Brandt');
	});
});

describe('a comparison', () => {
	const before = note('2023.txt', 'Rent: $900\n\nPets are allowed.\n\nThe lease begins in May.');
	const after = note('2024.txt', 'Rent: $950\n\nPets are allowed.\n\nSmoking is forbidden.');

	it('tells what both say, what differs and what only one says', async () => {
		const { text } = await ask('Compare the two documents', [before, after]);
		expect(text).toContain('- “Rent: $900” (2023.txt) / “Rent: $950” (2024.txt)');
		expect(text).toContain('In both:\n- “Pets are allowed.” (2023.txt)');
		expect(text).toContain('Only in 2023.txt:\n- “The lease begins in May.” (2023.txt)');
		expect(text).toContain('Only in 2024.txt:\n- “Smoking is forbidden.” (2024.txt)');
	});

	it('needs two documents', async () => {
		expect((await ask('Compare the documents', [before])).text).toContain('needs two documents');
	});
});
