import { describe, expect, it } from 'vitest';
import { ask, note } from './conversation.ts';

const report = note(
	'report.txt',
	`1. Purpose

The mill burns wood chips. Its chimney was tested in May.

2. Results

Table 1: Settings

  Load (%)    Speed (rpm)    Power (kW)
  25          1134           160
  50          1428           320

Table 2: Emissions

  Component    Unit     25 %    50 %
  NOx          g/kWh    6.9     6.4
  CO           g/kWh    2.7     1.4

3. Costs

Keys that are lost cost £15 to replace. The yearly licence is 380 kr.`,
);
const mail = note(
	'mail.txt',
	`On Monday Ada wrote:
> We looked at the roof on Friday. About 30 tiles are broken and the
> flashing leaks.
> > The caretaker has the keys.
> > Kind regards`,
);
const orders = note(
	'orders.csv',
	`Order ID\tCustomer\tProduct\tQuantity\tTotal
A-1\tBright Ltd\tDesk lamp\t12\t294.00
A-2\tCasa Moreno\tChair\t4\t556.00
A-3\tOsei & Sons\tDesk lamp\t60\t1305.00
A-4\tCasa Moreno\tLamp shade\t1\t88.20
A-5\tCasa Moreno\tScreen\t3\t910.00
A-6\tCasa Moreno\tCable\t9\t45.00`,
);
const contacts = note(
	'contacts.txt',
	`Bank                 Green Valley Credit Union
Account number       4410-77821
Mail                 office@valley.example`,
);

describe('a question in few words', () => {
	it.each([
		['licence price', '380 kr'],
		['NOx at 50%', '6.4'],
		['power at 50 %', '320'],
		['what does table 2 say about CO?', 'CO  g/kWh  2.7  1.4'],
		['cost of a lost key', '£15'],
		['chimeny?', 'chimney was tested'],
		['what does section 1 say?', 'The mill burns wood chips.'],
	])('finds what is meant: %s', async (question, fact) => {
		const { text } = await ask(question, [report]);
		expect(text).toContain(fact);
		expect(text).not.toContain('Not found');
	});

	it('is not answered with any share when it asks for a price', async () => {
		const { text } = await ask('What is the price of the chimney?', [report]);
		expect(text).toMatch(/^Not found/);
	});

	it('may be the name of what is to be listed', async () => {
		const { text } = await ask('headings?', [report]);
		expect(text).toContain('- 1. Purpose');
		expect(text).toContain('- 3. Costs');
	});

	it('is two questions when two are joined', async () => {
		const { text } = await ask('What does the mill burn and how much is the licence?', [report]);
		expect(text).toContain('wood chips');
		expect(text).toContain('380 kr');
	});
});

describe('a table', () => {
	it('answers with the row, not with the names of its columns alone', async () => {
		const { text } = await ask('total of the chair', [orders]);
		expect(text).toMatch(/^556\.00\./);
	});

	it('is not asked for the column whose value the question gives', async () => {
		const { text } = await ask('What is the total of order A-3?', [orders]);
		expect(text).toMatch(/^1305\.00\./);
	});

	it('gives every row that fits alike, in order', async () => {
		const { text } = await ask('Which products did Casa Moreno order?', [orders]);
		const ids = [...text.matchAll(/“(A-\d)/g)].map(([, id]) => id);
		expect(ids).toEqual(['A-2', 'A-4', 'A-5', 'A-6']);
	});

	it('names nobody by a number', async () => {
		const { text } = await ask('Who ordered 60 desk lamps?', [orders]);
		expect(text).not.toMatch(/^A-3/);
		expect(text).toContain('Osei & Sons');
	});

	it('of labels and values has no names of columns', async () => {
		const { text } = await ask('account number', [contacts]);
		expect(text).toMatch(/^4410-77821\./);
		expect(text).not.toContain('Bank');
	});
});

describe('a quoted mail', () => {
	it('is read without the marks in front of its lines', async () => {
		expect((await ask('What is broken?', [mail])).text).toContain(
			'“About 30 tiles are broken and the flashing leaks.”',
		);
		expect((await ask('Who has the keys?', [mail])).text).toContain('“The caretaker has the keys.”');
	});
});
