import { describe, expect, it } from 'vitest';
import { ask, lighthouse, model, note, user } from './conversation.ts';

describe('the stream', () => {
	it('comes word by word and ends with stop', async () => {
		const { events, reason, text } = await ask('Summarise it', [lighthouse]);
		const words = events.filter((event) => event.type === 'text');
		expect(words.length).toBeGreaterThan(text.split(' ').length * 0.8);
		expect(reason).toBe('stop');
	});

	it('ends at a word with length when the answer has too many tokens', async () => {
		const whole = await ask('Summarise it', [lighthouse]);
		const cut = await ask('Summarise it', [lighthouse], { maxTokens: 12 });
		expect(cut.reason).toBe('length');
		expect(cut.text.length).toBeLessThanOrEqual(48);
		expect(whole.text.startsWith(cut.text)).toBe(true);
		expect(whole.text[cut.text.length]).toMatch(/\s/);
	});

	it('says something however few tokens there are', async () => {
		const { text, reason } = await ask('Summarise it', [lighthouse], { maxTokens: 1 });
		expect(text.length).toBeGreaterThan(0);
		expect(reason).toBe('length');
	});

	it('makes no word before it is asked for one, and ends when the signal aborts', async () => {
		const abort = new AbortController();
		const request = {
			messages: [user('Summarise it', lighthouse)],
			tools: [],
			toolChoice: 'auto' as const,
			parallelToolCalls: true,
			format: { type: 'text' as const },
			stop: [],
		};
		const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
		const stream = model.stream(request, { signal: abort.signal, seed: 1, log })[Symbol.asyncIterator]();
		await stream.next();
		abort.abort(new Error('gone'));
		await expect(stream.next()).rejects.toThrow('gone');
	});
});

describe('long and strange documents', () => {
	const filler = (from: number, count: number) =>
		Array.from({ length: count }, (_, at) => `Paragraph ${from + at} is about nothing that anybody asks for.`).join(
			'\n\n',
		);

	it('leave the server its turns while they are indexed', async () => {
		const long = note('long.txt', `${filler(0, 1_500)}\n\nThe treasure lies under the oak.\n\n${filler(1_500, 1_500)}`);
		let turns = 0;
		let isOver = false;
		const count = () => {
			turns++;
			if (!isOver) setImmediate(count);
		};
		setImmediate(count);
		const { text } = await ask('Where does the treasure lie?', [long]);
		isOver = true;
		expect(text).toContain('under the oak');
		expect(turns).toBeGreaterThan(4);
	});

	it('are searched by the passages that hold the words when they are too long to be indexed, with a warning', async () => {
		const page = filler(0, 800);
		const huge = note('huge.txt', `${page.repeat(40)}\n\nThe treasure lies under the oak.\n\n${page.repeat(40)}`);
		const { text, warnings } = await ask('Where does the treasure lie?', [huge]);
		expect(text).toContain('under the oak');
		expect(warnings).toEqual([expect.stringContaining('too long')]);
	});

	it.each([
		['nothing', ''],
		['blanks', ' '.repeat(100_000)],
		['one endless word', 'x'.repeat(100_000)],
		['one endless number', '1'.repeat(100_000)],
		['one endless line', 'abc '.repeat(40_000)],
		['characters without blanks', '語'.repeat(20_000)],
		['stops', '. '.repeat(50_000)],
		['initials', 'A. '.repeat(40_000)],
		['short lines', 'x\n'.repeat(60_000)],
		['brackets', '('.repeat(50_000)],
		['marks', '|-:@#"“[]{}*\\'.repeat(8_000)],
	])('of %s get an answer', async (_, text) => {
		for (const question of ['Who is x?', 'List all dates', 'Summarise it'])
			expect((await ask(question, [note('a.txt', text)])).text).not.toBe('');
	});
});
