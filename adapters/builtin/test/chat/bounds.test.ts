import { silentLogger } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { ask, lighthouse, model, note, user } from './conversation.ts';

describe('the stream', () => {
	it('sends the answer word by word and ends with finish reason stop', async () => {
		const { events, reason, text } = await ask('', [lighthouse]);
		const words = events.filter((event) => event.type === 'text');
		expect(words.length).toBeGreaterThan(text.split(' ').length * 0.8);
		expect(reason).toBe('stop');
	});

	it('ends after a whole word with finish reason length when the answer has too many tokens', async () => {
		const whole = await ask('', [lighthouse]);
		const cut = await ask('', [lighthouse], { maxTokens: 12 });
		expect(cut.reason).toBe('length');
		expect(cut.text.length).toBeLessThanOrEqual(48);
		expect(whole.text.startsWith(cut.text)).toBe(true);
		expect(whole.text[cut.text.length]).toMatch(/\s/);
	});

	it('has text even with the smallest token limit', async () => {
		const { text, reason } = await ask('', [lighthouse], { maxTokens: 1 });
		expect(text.length).toBeGreaterThan(0);
		expect(reason).toBe('length');
	});

	it('ends when the signal aborts', async () => {
		const abort = new AbortController();
		const request = {
			messages: [user('Who is the warden?', lighthouse)],
			tools: [],
			toolChoice: 'auto' as const,
			parallelToolCalls: true,
			format: { type: 'text' as const },
			stop: [],
		};
		const run = { signal: abort.signal, seed: 1, log: silentLogger() };
		const stream = model.stream(request, run)[Symbol.asyncIterator]();
		await stream.next();
		abort.abort(new Error('gone'));
		await expect(stream.next()).rejects.toThrow('gone');
	});
});

describe('documents', () => {
	const filler = Array.from({ length: 20_000 }, (_, at) => `Paragraph ${at} is about nothing that anybody asks for.`);

	it('are limited by the abilities', () => {
		expect(model.abilities?.documentCharacters).toBe(2_000_000);
	});

	it('do not block the event loop while they are searched', async () => {
		const half = filler.join('\n\n');
		const long = note('long.txt', `${half}\n\nThe treasure lies under the oak.\n\n${half}`);
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
		expect(turns).toBeGreaterThan(10);
	});

	it.each([
		['nothing', ''],
		['blanks', ' '.repeat(100_000)],
		['one endless word', 'x'.repeat(100_000)],
		['one endless number', '1'.repeat(100_000)],
		['one endless line', 'abc '.repeat(40_000)],
		['characters without blanks', '語'.repeat(20_000)],
		['half characters', '\ud800'.repeat(20_000)],
		['stops', '. '.repeat(50_000)],
		['short lines', 'x\n'.repeat(60_000)],
		['brackets', '('.repeat(50_000)],
		['marks', '|-:@#"“[]{}*\\'.repeat(8_000)],
	])('of %s are answered', async (_, text) => {
		for (const question of ['Who is xylophone?', '', text.slice(0, 20_000)])
			expect((await ask(question, [note('a.txt', text)])).text).not.toBe('');
	});
});
