import { describe, expect, it } from 'vitest';
import { ask, assistant, lighthouse, note, pdf, talk, user } from './conversation.ts';

const bakery = note(
	'bakery.txt',
	'The bakery on Mill Lane was opened in 1998 by Jon Aske.\n\nIt closes on Mondays. A loaf of rye bread costs $4.20.',
);

describe('a question about a document', () => {
	it.each([
		['When was the lighthouse built?', '1874', 1],
		['Who was the engineer?', 'Clara Whitcombe', 1],
		['When was the first electric lamp installed?', '3 March 1921', 1],
		['Are dogs allowed?', 'Dogs are not allowed in the tower.', 1],
		['When does the tower open?', '10:00 a.m.', 1],
		['How much does an adult pay on a weekend?', '$11.00', 2],
		['Which discount do groups get?', '15%', 2],
		['What is the e-mail address?', 'visits@harbourlight.example', 2],
		['Who is the warden?', 'Oliver Brandt', 2],
		['When is the gallery closed?', '60 km/h', 3],
	])('%s is answered with what stands there, and where', async (question, fact, page) => {
		const { text } = await ask(question, [lighthouse]);
		expect(text).toContain(fact);
		expect(text).toContain(`(lighthouse.pdf, page ${page})`);
	});

	it('is answered with sentences word for word, joined where a line divides a word', async () => {
		const { text } = await ask('When was the first electric lamp installed?', [lighthouse]);
		expect(text).toContain('“The first electric lamp was installed on 3 March 1921.”');
	});

	it('names no page for a format without pages', async () => {
		const { text } = await ask('What does rye bread cost?', [bakery]);
		expect(text).toContain('“A loaf of rye bread costs $4.20.” (bakery.txt)');
	});

	it('gives the value of the cell in the row and column that are asked for', async () => {
		const { text } = await ask('What does a family pay on a weekday?', [lighthouse]);
		expect(text).toMatch(/^\$19\.90\./);
		expect(text).toContain('“Visitor  Weekday  Weekend”');
	});

	it('shows the whole list that follows the sentence', async () => {
		const { text } = await ask('What are the rules for the tower?', [lighthouse]);
		expect(text).toContain('Hold the handrail on the stairs.');
		expect(text).toContain('Leave the tower when the horn sounds.');
	});

	it('finds words in spite of slips of the keyboard, inflections and accents', async () => {
		const cafe = note('cafe.txt', 'The café hired seven waitresses.\n\nIts accountant lives in Łódź.');
		expect((await ask('Who hired waitreses?', [cafe])).text).toContain('seven waitresses');
		expect((await ask('Who lives in Lodz?', [cafe])).text).toContain('accountant');
	});

	it('finds words in scripts that do not part them', async () => {
		const report = note('report.txt', '東京タワーの高さは333メートルです。\n\n京都は古い都市です。');
		expect((await ask('東京タワーの高さ', [report])).text).toContain('333');
	});

	it('searches every document and says which one answers', async () => {
		const { text } = await ask('Who opened the bakery?', [lighthouse, bakery]);
		expect(text).toContain('Jon Aske');
		expect(text).toContain('(bakery.txt)');
		expect(text).not.toContain('lighthouse.pdf');
	});

	it('keeps to the page and to the file that it names', async () => {
		const twice = pdf('twice.pdf', 'The code is red.', 'The code is blue.');
		const page = await ask('What is the code on page 2?', [twice]);
		expect(page.text).toContain('blue');
		expect(page.text).not.toContain('red');
		const other = note('other.txt', 'The code is green.');
		const file = await ask('What is the code in the second file?', [twice, other]);
		expect(file.text).toContain('green');
		expect(file.text).not.toContain('red');
	});

	it('answers several questions of one conversation about the same document', async () => {
		const { text } = await talk([
			user('When was the lighthouse built?', lighthouse),
			assistant('1874.'),
			user('And who built it?'),
		]);
		expect(text).toContain('Clara Whitcombe');
	});

	it('goes on with the earlier question on another page', async () => {
		const codes = pdf('codes.pdf', 'The door code is 1234.', 'The door code is 9876.');
		const { text } = await talk([
			user('What is the door code on page 1?', codes),
			assistant('1234.'),
			user('and on page 2?'),
		]);
		expect(text).toContain('9876');
		expect(text).not.toContain('1234');
	});

	it('answers each of several questions in one message', async () => {
		const { text } = await ask('When was the lighthouse built? Who is the warden?', [lighthouse]);
		expect(text).toContain('1874');
		expect(text).toContain('Oliver Brandt');
	});

	it('reads a passage that is pasted into the message', async () => {
		const passage = 'Acme was founded in 1987 by Jane Roe. It makes anvils and rockets. '.repeat(10);
		const { text } = await ask(`${passage}\n\nWho founded Acme?`);
		expect(text).toContain('Jane Roe');
		expect(text).toContain('(your message)');
	});
});

describe('what does not stand in the documents', () => {
	it.each(['What is the capital of Mongolia?', 'Who won the world cup?', 'How much does a bicycle cost in Denmark?'])(
		'%s is answered with an honest no',
		async (question) => {
			const { text } = await ask(question, [lighthouse]);
			expect(text).toMatch(/^Not found in the attached documents\./);
		},
	);

	it.each(['Write a poem', 'Translate it into German', 'What is 17 * 23?'])(
		'%s is declined, with what can be asked instead',
		async (wish) => {
			const { text } = await ask(wish, [lighthouse]);
			expect(text).toContain('I cannot do that');
			expect(text).toContain('summary');
		},
	);

	it('without a document it says what it is and how to attach one', async () => {
		const { text } = await ask('What is the capital of France?');
		expect(text).toContain('without a neural network');
		expect(text).toContain('file_data');
		expect(text).not.toContain('Paris');
	});

	it('greets', async () => {
		expect((await ask('hello')).text).toMatch(/^(?:Hello|Hi|Good day)!/);
	});

	it('says that a picture was not looked at', async () => {
		const { text } = await talk([
			{
				role: 'user',
				content: [
					{
						type: 'text',
						text: '[A picture is attached here. This model accepts no pictures.]',
					},
					lighthouse,
					{ type: 'text', text: 'Who is the warden?' },
				],
			},
		]);
		expect(text).toContain('Oliver Brandt');
		expect(text).toContain('I read no pictures');
	});
});

describe('equal requests', () => {
	it('get equal answers', async () => {
		const [one, other] = await Promise.all([
			ask('Tell me about the lamp', [lighthouse]),
			ask('Tell me about the lamp', [lighthouse]),
		]);
		expect(one).toEqual(other);
	});

	it('with other seeds differ in nothing but the lead-in', async () => {
		const answers = await Promise.all(
			[1, 2, 3].map((seed) =>
				ask('Are dogs allowed in the tower or on the gallery by the sea?', [lighthouse], { seed }),
			),
		);
		const quotes = answers.map(({ text }) => text.split('\n\n').slice(1).join('\n\n'));
		expect(new Set(quotes).size).toBe(1);
	});
});
