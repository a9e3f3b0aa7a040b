import { describe, expect, test } from 'vitest';
import { answerTo, chunk } from './chat-calls.ts';
import { sse } from './upstream.ts';

const call = (index: number, part: object) => chunk({ tool_calls: [{ index, ...part }] });

describe('tool calls', () => {
	test('are streamed in pieces, several per answer', async () => {
		const events = await answerTo(
			sse(
				call(0, { id: 'a', type: 'function', function: { name: 'one', arguments: '' } }),
				call(0, { function: { arguments: '{"x":' } }),
				call(0, { function: { arguments: '1}' } }),
				call(1, { id: 'b', type: 'function', function: { name: 'two', arguments: '{}' } }),
				chunk({}, 'tool_calls'),
			),
		);
		expect(events).toEqual([
			{ type: 'tool_call', index: 0, id: 'a', name: 'one' },
			{ type: 'tool_call', index: 0, arguments: '{"x":' },
			{ type: 'tool_call', index: 0, arguments: '1}' },
			{ type: 'tool_call', index: 1, id: 'b', name: 'two', arguments: '{}' },
			{ type: 'finish', reason: 'tool_calls' },
		]);
	});

	test('begin with their name; a name after a complete call begins another one', async () => {
		const events = await answerTo(
			sse(
				call(0, { id: 'a', function: { arguments: '' } }),
				call(0, { function: { name: 'one' } }),
				call(0, { id: '', function: { arguments: '{"x":1}' } }),
				call(0, { id: '', function: { name: 'two', arguments: '{}' } }),
				chunk({}, 'tool_calls'),
			),
		);
		expect(events).toMatchObject([
			{ index: 0, id: 'a', name: 'one' },
			{ index: 0, arguments: '{"x":1}' },
			{ index: 1, name: 'two', arguments: '{}' },
			{ type: 'finish' },
		]);
	});

	test('are one call when each piece has another id', async () => {
		const events = await answerTo(
			sse(
				call(0, { id: 'a', function: { name: 'one', arguments: '{"x":' } }),
				call(0, { id: 'b', function: { name: '', arguments: '1}' } }),
				chunk({}, 'tool_calls'),
			),
		);
		expect(events).toMatchObject([{ index: 0, id: 'a' }, { index: 0, arguments: '1}' }, {}]);
	});

	test('continue when a server repeats the name in each piece', async () => {
		const events = await answerTo(
			sse(
				call(0, { id: 'a', function: { name: 'one', arguments: '{"x":' } }),
				call(0, { function: { name: 'one', arguments: '{"y":1}}' } }),
				chunk({}, 'tool_calls'),
			),
		);
		expect(events).toMatchObject([{ index: 0, id: 'a' }, { index: 0, arguments: '{"y":1}}' }, {}]);
	});

	test('are distinguished by id when all have the index 0, and get ids when they have none', async () => {
		const events = await answerTo(
			sse(
				call(0, { id: 'a', function: { name: 'one', arguments: { x: 1 } } }),
				call(0, { id: 'b', function: { name: 'two', arguments: '{}' } }),
				chunk({ tool_calls: [{ function: { name: 'three', arguments: '{}' } }] }, 'tool_calls'),
			),
		);
		expect(events).toMatchObject([
			{ index: 0, id: 'a', name: 'one', arguments: '{"x":1}' },
			{ index: 1, id: 'b', name: 'two' },
			{ index: 2, name: 'three', arguments: '{}' },
			{ type: 'finish' },
		]);
		const [made] = await answerTo(
			sse(chunk({ tool_calls: [{ function: { name: 'three', arguments: '{}' } }] }, 'tool_calls')),
		);
		expect(made).toMatchObject({
			index: 0,
			name: 'three',
			id: expect.stringMatching(/^call_\w+$/),
		});
	});
});
