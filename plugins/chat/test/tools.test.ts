import { describe, expect, test } from 'vitest';
import { answerOf, chunksOf, events, harness, tool } from './harness.ts';

const call = (index: number, rest: object = {}) => ({ type: 'tool_call', index, ...rest });
const tools = { tools: [tool('now'), tool('add')] };

describe('tool calls', () => {
	test('are assembled, and end the answer with the finish reason tool_calls', async () => {
		const { ask } = await harness({
			stream: events(
				call(0, { id: 'call_a', name: 'now' }),
				call(1, { id: 'call_b', name: 'add', arguments: '{"a":' }),
				call(1, { arguments: '1}' }),
				{ type: 'finish', reason: 'stop' },
			),
		});
		const [choice] = (await answerOf(await ask(tools))).choices;
		expect(choice).toMatchObject({
			message: {
				content: null,
				tool_calls: [
					{ id: 'call_a', type: 'function', function: { name: 'now', arguments: '{}' } },
					{ id: 'call_b', type: 'function', function: { name: 'add', arguments: '{"a":1}' } },
				],
			},
			finish_reason: 'tool_calls',
		});
	});

	test('are streamed with the name first, then the arguments', async () => {
		const { ask } = await harness({
			stream: events(call(0, { id: 'call_a', name: 'add', arguments: '' }), call(0, { arguments: '{}' })),
		});
		const { chunks } = await chunksOf(await ask({ ...tools, stream: true }));
		const deltas = chunks.map(({ choices }) => choices[0]?.delta);
		expect(deltas).toEqual([
			{ role: 'assistant', content: null, refusal: null },
			{
				tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'add', arguments: '' } }],
			},
			{ tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
			{},
		]);
		expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
	});

	test('get ids and indexes when the model omits or mixes them', async () => {
		const same = { id: 'call_x', name: 'now' };
		const { ask } = await harness({
			stream: events(call(7, { id: 7, name: 'now' }), call(-2, same), call(3, same), call(7, { arguments: '{"a":1}' })),
		});
		const { chunks } = await chunksOf(await ask({ ...tools, stream: true }));
		const pieces = chunks.flatMap(
			({ choices }) => (choices[0]?.delta.tool_calls ?? []) as { index: number; id?: string }[],
		);
		expect(pieces.map(({ index }) => index)).toEqual([0, 1, 2, 0, 1, 2]);
		const ids = pieces.flatMap(({ id }) => id ?? []);
		expect(ids).toHaveLength(3);
		expect(new Set(ids).size).toBe(3);
		expect(ids.every((id) => typeof id === 'string')).toBe(true);
		expect(ids).toEqual(expect.arrayContaining(['call_x', expect.stringMatching(/^call_\w{24}$/)]));
	});

	test('are limited to one when parallel calls are off', async () => {
		const { ask } = await harness({
			stream: events(call(0, { name: 'now' }), call(1, { name: 'add' }), call(1, { arguments: '{' })),
		});
		const [choice] = (await answerOf(await ask({ ...tools, parallel_tool_calls: false }))).choices;
		expect(choice?.message.tool_calls).toHaveLength(1);
	});

	test('may be cut by the token limit, also within their arguments', async () => {
		const { ask } = await harness({
			stream: events(call(0, { name: 'add', arguments: '{"a' }), {
				type: 'finish',
				reason: 'length',
			}),
		});
		expect((await answerOf(await ask(tools))).choices[0]?.finish_reason).toBe('length');
	});

	test('are removed when the client allows none', async () => {
		const { ask } = await harness({ stream: events(call(0, { name: 'now' })) });
		expect((await ask({ ...tools, tool_choice: 'none' })).status).toBe(502);
	});
});

describe('a client of the older functions API', () => {
	const functions = { functions: [{ name: 'now' }], function_call: { name: 'now' } };
	const stream = events(call(0, { id: 'call_a', name: 'now', arguments: '{"a":1}' }));

	test('gets its one call as function_call', async () => {
		const { ask, calls } = await harness({ stream });
		const [choice] = (await answerOf(await ask(functions))).choices;
		expect(choice).toMatchObject({
			message: { content: null, function_call: { name: 'now', arguments: '{"a":1}' } },
			finish_reason: 'function_call',
		});
		expect(choice?.message).not.toHaveProperty('tool_calls');
		expect(calls[0]?.request).toMatchObject({
			tools: [{ name: 'now' }],
			toolChoice: { name: 'now' },
			parallelToolCalls: false,
		});
	});

	test('gets it as function_call in a stream', async () => {
		const { ask } = await harness({ stream });
		const { chunks } = await chunksOf(await ask({ ...functions, stream: true }));
		const [, second, last] = chunks.map(({ choices }) => choices[0]);
		expect(second?.delta).toEqual({ function_call: { name: 'now', arguments: '{"a":1}' } });
		expect(last?.finish_reason).toBe('function_call');
	});
});
