import type { ChatMessage, ChatRequest, ChatTool } from '@plinth/plugin-chat/model';
import { describe, expect, test } from 'vitest';
import { chatOptions } from '../src/options.ts';
import { toHistory } from '../src/request/history.ts';
import { toTask } from '../src/request/task.ts';

const say = (text: string) => [{ type: 'text', text }] as const;
const options = chatOptions.parse({ file: 'a.gguf' });
const tools: readonly ChatTool[] = [
	{ name: 'now', isStrict: false },
	{ name: 'add', description: 'Adds.', parameters: { properties: { a: { type: 'number' } } }, isStrict: true },
];

function task(more: Partial<ChatRequest>) {
	const plain = { tools: [], toolChoice: 'auto', parallelToolCalls: true, format: { type: 'text' }, stop: [] } as const;
	return toTask({ messages: [{ role: 'user', content: say('Hi') }], ...plain, ...more }, options, 5);
}

describe('a conversation', () => {
	test('has tool results in their calls, and joins successive answers into one turn', () => {
		const call = (id: string, text: string) => ({ id, name: 'add', arguments: text });
		const messages: readonly ChatMessage[] = [
			{ role: 'system', content: say('Be kind.') },
			{ role: 'user', content: [...say('One'), ...say('Two')] },
			{ role: 'assistant', content: say('Let me see.'), toolCalls: [call('1', '{"a":1}'), call('2', 'no JSON')] },
			{ role: 'tool', callId: '2', content: say('two') },
			{ role: 'tool', callId: '1', content: say('one') },
			{ role: 'assistant', content: [], refusal: 'I will not say.', toolCalls: [] },
		];
		const add = { type: 'functionCall', name: 'add' };
		expect(toHistory(messages)).toEqual([
			{ type: 'system', text: 'Be kind.' },
			{ type: 'user', text: 'One\n\nTwo' },
			{
				type: 'model',
				response: [
					'Let me see.',
					{ ...add, params: { a: 1 }, result: 'one', startsNewChunk: true },
					{ ...add, params: 'no JSON', result: 'two', startsNewChunk: false },
					'I will not say.',
				],
			},
		]);
	});

	test('ends with a turn of the assistant', () => {
		expect(toHistory([{ role: 'user', content: say('Hi') }]).at(-1)).toEqual({ type: 'model', response: [] });
	});
});

describe('a request', () => {
	test('has the options of the model by default', () => {
		expect(task({}).task.options).toMatchObject({ temperature: 0.8, topP: 0.95, topK: 40, minP: 0.05, seed: 5 });
		expect(task({ temperature: 0, topP: 1, maxTokens: 3, stop: ['x'] }).task.options).toMatchObject({
			...{ temperature: 0, topP: 1, maxTokens: 3 },
			...{ customStopTriggers: ['x'], repeatPenalty: false },
		});
	});

	test('has penalties when it sets them', () => {
		const { repeatPenalty } = task({ frequencyPenalty: 0.5 }).task.options;
		expect(repeatPenalty).toEqual({ penalty: 1, frequencyPenalty: 0.5, presencePenalty: 0 });
	});

	test('offers the allowed tools', () => {
		const names = (toolChoice: ChatRequest['toolChoice']) => {
			const { functions, isCallRequired } = task({ tools, toolChoice }).task;
			return [Object.keys(functions), isCallRequired];
		};
		expect(names('auto')).toEqual([['now', 'add'], false]);
		expect(names('none')).toEqual([[], false]);
		expect(names('required')).toEqual([['now', 'add'], true]);
		expect(names({ name: 'add' })).toEqual([['add'], true]);
		const { now, add } = task({ tools }).task.functions;
		expect(now).toEqual({});
		expect(add).toMatchObject({ description: 'Adds.', params: { type: 'object' } });
	});

	test('may forbid parallel calls', () => {
		expect(task({ tools }).task.options).not.toHaveProperty('maxParallelFunctionCalls');
		expect(task({ tools, parallelToolCalls: false }).task.options).toHaveProperty('maxParallelFunctionCalls', 1);
	});

	test('has either JSON or tools, unless a call is required', () => {
		const format = { type: 'json' } as const;
		expect(() => task({ tools, format })).toThrow('This model makes JSON or calls tools, not both.');
		expect(task({ tools, format, toolChoice: 'none' }).task.schema).toBeDefined();
		expect(task({ tools, format, toolChoice: 'required' }).task.schema).toBeUndefined();
	});

	test('names the tool whose parameters are rejected', () => {
		const wrong = { name: 'x', parameters: { not: {} }, isStrict: true };
		expect(() => task({ tools: [...tools, wrong] })).toThrow('tools[2].function.parameters: this model cannot');
	});

	test('with an effort gets a warning', () => {
		expect([...task({ effort: 'high' }).warnings]).toEqual(['This model ignores reasoning_effort.']);
	});
});
