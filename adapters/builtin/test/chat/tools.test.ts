import type { ChatTool } from '@plinth/plugin-chat/model';
import { describe, expect, it } from 'vitest';
import { ask, talk, user } from './conversation.ts';

const weather: ChatTool = {
	name: 'get_weather',
	description: 'Tells the weather of a city',
	isStrict: false,
	parameters: {
		type: 'object',
		properties: {
			city: { type: 'string' },
			unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
			days: { type: 'integer', minimum: 1 },
			detailed: { type: 'boolean' },
		},
		required: ['city'],
	},
};
const now: ChatTool = { name: 'now', isStrict: false };
const search: ChatTool = {
	name: 'search',
	description: 'Searches the web',
	isStrict: true,
	parameters: {
		type: 'object',
		properties: { query: { type: 'string' }, limit: { type: 'integer', maximum: 10 } },
		required: ['query', 'limit'],
		additionalProperties: false,
	},
};
const tools = [weather, now, search];

async function callsFor(message: string, more: Parameters<typeof ask>[2] = {}) {
	const { calls, reason } = await ask(message, [], { tools, ...more });
	return { calls: calls.map(({ name, arguments: text }) => [name, JSON.parse(text)]), reason };
}

describe('a tool that the message names', () => {
	it.each([
		['use get_weather for Paris', 'get_weather', { city: 'Paris' }],
		['Please get weather for New York in fahrenheit', 'get_weather', { city: 'New York', unit: 'fahrenheit' }],
		['get_weather: city Oslo, 3 days, detailed', 'get_weather', { city: 'Oslo', days: 3, detailed: true }],
		['call get_weather with {"city": "Rome", "days": 2}', 'get_weather', { city: 'Rome', days: 2 }],
		['call now()', 'now', {}],
		['call search with query "blue whales" and limit 5', 'search', { query: 'blue whales', limit: 5 }],
	])('%s', async (message, name, parameters) => {
		expect(await callsFor(message)).toEqual({ calls: [[name, parameters]], reason: 'tool_calls' });
	});

	it('is called under an id of its own, and the same for an equal request', async () => {
		const [one, other] = [await ask('call now', [], { tools }), await ask('call now', [], { tools })];
		expect(one.calls[0]?.id).toMatch(/^call_[\da-f]{24}$/);
		expect(other.calls).toEqual(one.calls);
	});

	it('is called beside another one, unless one at a time is wanted', async () => {
		const message = 'use get_weather for Paris and then call now';
		expect((await callsFor(message)).calls).toEqual([
			['get_weather', { city: 'Paris' }],
			['now', {}],
		]);
		expect((await callsFor(message, { parallelToolCalls: false })).calls).toHaveLength(1);
	});

	it('gets the least valid value for what the message does not say, with a warning', async () => {
		const { calls, warnings } = await ask('Use the search tool to find cheap flights', [], {
			tools,
		});
		expect(JSON.parse(calls[0]?.arguments ?? '')).toEqual({ query: 'cheap flights', limit: 0 });
		expect(warnings).toEqual([expect.stringContaining('limit')]);
	});
});

describe('the choice of tools', () => {
	it.each(['How are you now?', 'What is the weather?', 'I am in search of a hotel'])(
		'calls none that is not named: %s',
		async (message) => {
			expect((await callsFor(message)).calls).toEqual([]);
		},
	);

	it('calls none when none may be called', async () => {
		expect((await callsFor('call now()', { toolChoice: 'none' })).calls).toEqual([]);
	});

	it('calls the one that is required by name', async () => {
		const { calls } = await callsFor('something 4', { toolChoice: { name: 'search' } });
		expect(calls).toEqual([['search', { query: 'something 4', limit: 4 }]]);
	});

	it('calls the one that fits best when one is required', async () => {
		const { calls } = await callsFor('How is the weather in Madrid?', { toolChoice: 'required' });
		expect(calls).toEqual([['get_weather', { city: 'Madrid' }]]);
	});
});

describe('after a tool has answered', () => {
	const asked = [
		user('use get_weather for Paris'),
		{
			role: 'assistant',
			content: [],
			toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' }],
		},
	] as const;

	it('tells the result in words and calls nothing', async () => {
		const result = '{"temperature":21,"sky":"clear","wind":{"speed":5}}';
		const { text, calls, reason } = await talk(
			[...asked, { role: 'tool', callId: 'call_1', content: [{ type: 'text', text: result }] }],
			{ tools, toolChoice: 'required' },
		);
		expect(text).toBe('get_weather answered: temperature 21, sky clear, wind (speed 5).');
		expect(calls).toEqual([]);
		expect(reason).toBe('stop');
	});

	it('repeats a plain text as it is', async () => {
		const { text } = await talk(
			[...asked, { role: 'tool', callId: 'call_1', content: [{ type: 'text', text: 'Sunny, 21 degrees' }] }],
			{ tools },
		);
		expect(text).toBe('get_weather answered: Sunny, 21 degrees');
	});
});

describe('a tool that is named', () => {
	it('twice is called twice, each time with its own words', async () => {
		const { calls } = await ask('use get_weather for Paris and get_weather for Rome', [], {
			tools: [weather],
		});
		expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([{ city: 'Paris' }, { city: 'Rome' }]);
	});

	it.each(['do not call get_weather', 'Do not use any tools. What is get_weather?'])(
		'in a message that forbids it is not called: %s',
		async (message) => {
			expect((await ask(message, [], { tools: [weather] })).calls).toEqual([]);
		},
	);
});
