import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ChatEvent, ChatModel, ChatRequest } from '../src/model.ts';
import { type ChatModelSuiteOptions, chatModelSuite } from '../src/testing/index.ts';

type Stream = ChatModel['stream'];

const call = (name: string): ChatEvent => ({
	type: 'tool_call',
	index: 0,
	id: 'call_1',
	name,
	arguments: name === 'get_time' ? '{}' : '{"amount":42,"currency":"SEK"}',
});

function wordsOf({ format, maxTokens }: ChatRequest, seed: number): readonly string[] {
	if (format.type === 'json') return ['{"total":', '42}'];
	if (format.type === 'schema') return ['{"answer":"42","isPaid":false,', '"kind":"bill","items":[]}'];
	return ['The total ', 'is 42 EUR. ', `(${seed})`].slice(0, maxTokens);
}

/** A correct model: it emits word by word, with pauses that its signal ends. */
const correct: Stream = async function* (request, { signal, seed }) {
	signal.throwIfAborted();
	const { toolChoice, tools } = request;
	const name = typeof toolChoice === 'object' ? toolChoice.name : tools[0]?.name;
	if (name && toolChoice !== 'none' && toolChoice !== 'auto') {
		yield call(name);
		yield { type: 'finish', reason: 'tool_calls' };
		return;
	}
	const words = wordsOf(request, seed);
	for (const text of words) {
		await delay(4, undefined, { signal }).catch(() => signal.throwIfAborted());
		yield { type: 'text', text };
	}
	const reason = request.maxTokens === words.length ? 'length' : 'stop';
	yield { type: 'finish', reason, usage: { promptTokens: 30, completionTokens: words.length } };
};

function suiteOf(
	model: Partial<ChatModel>,
	supports: NonNullable<ChatModelSuiteOptions['supports']> = { deterministic: true },
) {
	const whole: ChatModel = { apiVersion: 1, stream: correct, ...model };
	return chatModelSuite({
		create: async () => ({ model: whole, close: async () => {} }),
		supports,
	});
}

/** Runs the case with this name. */
async function runCase(cases: ReturnType<typeof suiteOf>, name: string): Promise<void> {
	const found = cases.find((one) => one.name === name);
	if (!found) throw new Error(`There is no case "${name}", only:\n${cases.map((c) => c.name).join('\n')}`);
	await found.run();
}

describe('a correct model passes the case:', () => {
	for (const { name, run } of suiteOf({})) it(name, run);
});

const limited = { tools: false, json: 'none' } as const;

describe('a model with few abilities passes the case:', () => {
	const stream: Stream = async function* (_request, { signal }) {
		signal.throwIfAborted();
		yield { type: 'text', text: 'Yes.' };
	};
	const cases = suiteOf({ stream, abilities: { tools: false, json: 'none' } }, limited);
	for (const { name, run } of cases) it(name, run);

	it('and there is no case for an ability that it lacks', () => {
		const names = cases.map(({ name }) => name).join();
		expect(names).not.toMatch(/is called|result of a tool|JSON answer|matches/);
	});
});

describe('a model whose abilities deny tools and JSON', () => {
	const stream: Stream = (request, run) => {
		if (request.tools.length > 0 || request.format.type !== 'text') throw new Error('was called');
		return correct(request, run);
	};

	it.each([
		'a tool is called when a call is required',
		'a JSON answer is an object',
		'an answer with a schema matches it',
	])('%s: the model is not called, even if supports does not deny it', async (name) => {
		await runCase(suiteOf({ stream, abilities: limited }, {}), name);
		await expect(runCase(suiteOf({ stream }, {}), name)).rejects.toThrow('was called');
	});
});

/** A model that changes the events of the correct one. */
function changed(change: (events: AsyncIterable<ChatEvent>) => AsyncIterable<unknown>): Stream {
	return (request, run) => change(correct(request, run)) as AsyncIterable<ChatEvent>;
}

function each(change: (event: ChatEvent) => unknown): Stream {
	return changed(async function* (events) {
		for await (const event of events) yield change(event);
	});
}

function always(...events: readonly unknown[]): Stream {
	return async function* (_request, { signal }) {
		signal.throwIfAborted();
		yield* events as ChatEvent[];
	};
}

let counter = 0;

const wrong: readonly (readonly [string, Partial<ChatModel>, string])[] = [
	['declares another version', { apiVersion: 2 as never }, 'the model declares the version of its interface'],
	['emits no content', { stream: always() }, 'an answer has content, and at most one finish event'],
	[
		'emits two finish events',
		{
			stream: always(
				{ type: 'text', text: 'a' },
				{ type: 'finish', reason: 'stop' },
				{ type: 'finish', reason: 'stop' },
			),
		},
		'an answer has content, and at most one finish event',
	],
	[
		'emits events after the finish event',
		{ stream: always({ type: 'finish', reason: 'stop' }, { type: 'text', text: 'a' }) },
		'an answer has content, and at most one finish event',
	],
	[
		'emits a text event without text',
		{ stream: always({ type: 'text' }) },
		'an answer has content, and at most one finish event',
	],
	[
		'reports fractional token counts',
		{
			stream: each((event) =>
				event.type === 'finish' ? { ...event, usage: { promptTokens: 0.5, completionTokens: 1 } } : event,
			),
		},
		'a finish event has a valid reason and integer token counts',
	],
	[
		'fails for tool results',
		{
			stream: (request, run) => {
				if (request.messages.some(({ role }) => role === 'tool')) throw new Error('unknown role');
				return correct(request, run);
			},
		},
		'messages of every role are accepted',
	],
	[
		'ignores the token limit',
		{ stream: always({ type: 'text', text: 'The total is forty-two euros, '.repeat(3) }) },
		'the token limit is kept',
	],
	[
		'reports more tokens than the limit',
		{
			stream: each((event) =>
				event.type === 'finish'
					? { ...event, reason: 'length', usage: { promptTokens: 3, completionTokens: 2 } }
					: event,
			),
		},
		'the token limit is kept',
	],
	[
		'reports fewer tokens than it emits',
		{
			stream: async function* (request, run) {
				for await (const event of correct({ ...request, maxTokens: 9 }, run)) {
					const isBound = event.type === 'finish' && request.maxTokens !== undefined;
					yield isBound ? { type: 'finish', reason: 'length' } : event;
				}
			},
		},
		'the token limit is kept',
	],
	[
		'does not finish with length',
		{
			stream: each((event) => (event.type === 'finish' ? { ...event, reason: 'stop' } : event)),
		},
		'the token limit is kept',
	],
	[
		'rejects without an error code',
		{
			stream: (request, run) => {
				if (request.stop.length > 0) throw new Error('stop');
				return correct(request, run);
			},
		},
		'an unusual request is answered, or rejected with a 4xx status',
	],
	[
		'ignores its seed',
		{ stream: (request, run) => correct(request, { ...run, seed: ++counter }) },
		'equal requests with equal seeds get equal answers',
	],
	['emits plain text instead of JSON', { stream: always({ type: 'text', text: '42' }) }, 'a JSON answer is an object'],
	['ignores schemas', { stream: always({ type: 'text', text: '{"answer":1}' }) }, 'an answer with a schema matches it'],
	['calls no tool', { stream: always({ type: 'text', text: 'No.' }) }, 'a tool is called when a call is required'],
	['calls another tool', { stream: always(call('get_time')) }, 'a named tool is called, also one without parameters'],
	['calls a forbidden tool', { stream: always(call('get_time')) }, 'no tool is called when calls are forbidden'],
	[
		'calls a tool without an id',
		{ stream: always({ type: 'tool_call', index: 0, name: 'get_time' }) },
		'calls of offered tools have the right form',
	],
	[
		'omits arguments',
		{ stream: always({ ...call('get_time'), name: 'convert_currency' }) },
		'a tool is called when a call is required',
	],
	[
		'calls two tools',
		{ stream: always(call('get_time'), { ...call('get_time'), index: 1, id: 'call_2' }) },
		'at most one call is made when only one is allowed',
	],
	[
		'does not answer after a tool result',
		{
			stream: (request, run) =>
				request.messages.at(-1)?.role === 'tool' ? always()(request, run) : correct(request, run),
		},
		'the result of a tool is accepted',
	],
	[
		'ignores an aborted signal',
		{ stream: (request, run) => correct(request, { ...run, signal: new AbortController().signal }) },
		'a call with an aborted signal ends immediately',
	],
	[
		'continues after an abort',
		{ stream: (request, run) => correct(request, { ...run, signal: new AbortController().signal }) },
		'an abort ends the answer within a second',
	],
	[
		'hangs after an abort',
		{
			async *stream() {
				await new Promise(() => {});
				yield { type: 'text', text: 'never' };
			},
		},
		'an abort ends the answer while the model works',
	],
];

describe('a model that emits what it has received, in twos, passes the case:', () => {
	const inTwos: Stream = async function* (request, run) {
		let waiting: ChatEvent[] = [];
		for await (const event of correct(request, run)) {
			waiting.push(event);
			if (waiting.length < 2) continue;
			yield* waiting;
			waiting = [];
		}
		yield* waiting;
	};
	for (const { name, run } of suiteOf({ stream: inTwos })) it(name, run);
});

describe('the suite detects a model that', () => {
	it.each(wrong)('%s', async (_, model, name) => {
		await expect(runCase(suiteOf(model), name)).rejects.toThrow();
		await runCase(suiteOf({}), name);
	});

	it.each([
		['denies tools that supports declares', 'the abilities do not deny tools'],
		['declares less JSON than supports', 'the abilities state the same JSON as supports'],
	])('%s', async (_, name) => {
		const said = { tools: true, json: 'schema' } as const;
		await expect(runCase(suiteOf({ abilities: limited }, said), name)).rejects.toThrow();
		await runCase(suiteOf({}, said), name);
	});

	it.each([
		['accepts tools that it denies', 'a request with tools is rejected when the abilities deny them'],
		['accepts JSON that it denies', 'a request for JSON is rejected when the abilities deny it'],
		['accepts a schema that it denies', 'a request with a schema is rejected when the abilities deny it'],
	])('%s', async (_, name) => {
		await expect(runCase(suiteOf({}, limited), name)).rejects.toThrow();
		await runCase(suiteOf({ abilities: limited }, limited), name);
	});
});
