import type { ChatTool } from '@plinth/plugin-chat/model';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ask, talk, user } from './conversation.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const parameters = {
	type: 'object',
	properties: {
		city: { type: 'string', minLength: 2 },
		unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
		days: { type: 'integer', minimum: 1, maximum: 9 },
	},
	required: ['city', 'days'],
	additionalProperties: false,
};
const weather: ChatTool = { name: 'get_weather', isStrict: false, parameters };
const now: ChatTool = { name: 'now', isStrict: false };
const tools = [weather, now];

async function callsFor(message: string, more: Parameters<typeof ask>[2] = {}) {
	const { calls, reason, warnings } = await ask(message, [], { tools, ...more });
	return { calls: calls.map(({ name, arguments: text }) => [name, JSON.parse(text)] as const), reason, warnings };
}

describe('a tool', () => {
	it('is called with the JSON of the message when the message names it', async () => {
		expect(await callsFor('Call get_weather with {"city": "Rome", "days": 2}, please.')).toEqual({
			calls: [['get_weather', { city: 'Rome', days: 2 }]],
			reason: 'tool_calls',
			warnings: [],
		});
	});

	it('gets the first valid JSON in the message, whatever text surrounds it', async () => {
		const message = 'In {curly} 5" braces: {"city": "X"} {"city": "A } \\" {", "days": 3}} get_weather';
		expect((await callsFor(message)).calls).toEqual([['get_weather', { city: 'A } " {', days: 3 }]]);
	});

	it('gets generated valid arguments otherwise, with a warning', async () => {
		const { calls, warnings } = await callsFor('Use get_weather for Paris');
		expect(ajv.validate(parameters, calls[0]?.[1])).toBe(true);
		expect(warnings).toEqual([expect.stringContaining('get_weather are made up')]);
	});

	it('without parameters gets an empty object', async () => {
		expect(await callsFor('call now()')).toEqual({ calls: [['now', {}]], reason: 'tool_calls', warnings: [] });
	});

	it('is called identically for equal requests, and differently for another seed', async () => {
		const call = async (seed: number) => (await ask('get_weather', [], { tools, seed })).calls;
		expect(await call(1)).toEqual(await call(1));
		expect(await call(1)).not.toEqual(await call(2));
		expect((await call(1))[0]?.id).toMatch(/^call_[\da-f]{24}$/);
	});

	it('is called together with another tool unless parallel calls are off', async () => {
		const names = async (more = {}) => (await callsFor('now and get_weather', more)).calls.map(([name]) => name);
		expect(await names()).toEqual(['now', 'get_weather']);
		expect(await names({ parallelToolCalls: false })).toEqual(['now']);
	});
});

describe('the choice of tools', () => {
	it.each(['What is the weather?', 'get_weather_now', 'I know nowhere'])(
		'calls no tool that the message does not name: %s',
		async (message) => {
			expect((await callsFor(message)).calls).toEqual([]);
		},
	);

	it('calls no tool when it is none', async () => {
		expect((await callsFor('call now()', { toolChoice: 'none' })).calls).toEqual([]);
	});

	it('calls the tool that it names', async () => {
		expect((await callsFor('get_weather', { toolChoice: { name: 'now' } })).calls).toEqual([['now', {}]]);
	});

	it('calls any tool when it is required', async () => {
		expect((await callsFor('Hello', { toolChoice: 'required' })).calls.map(([name]) => name)).toEqual(['get_weather']);
	});
});

describe('a request with a tool result', () => {
	it('quotes the result and calls no tool', async () => {
		const result = '{"temperature":21,"sky":"clear"}';
		const { text, calls, reason } = await talk(
			[
				user('use get_weather for Paris'),
				{ role: 'assistant', content: [], toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{}' }] },
				{ role: 'tool', callId: 'call_1', content: [{ type: 'text', text: result }] },
			],
			{ tools, toolChoice: 'required' },
		);
		expect(text).toBe(`get_weather returned: ${result}`);
		expect(calls).toEqual([]);
		expect(reason).toBe('stop');
	});
});

describe('the parameters of a tool', () => {
	it.each([
		['that are no valid schema', { type: 'object', properties: { a: { type: 'wrong' } } }],
		['that nothing satisfies', { type: 'object', properties: { a: false }, required: ['a'] }],
	])('%s are refused', async (_, schema) => {
		const tool = { name: 'broken', isStrict: false, parameters: schema };
		await expect(ask('broken', [], { tools: [tool] })).rejects.toMatchObject({
			code: 'E_VALUE_INVALID',
			param: 'tools',
		});
	});
});
