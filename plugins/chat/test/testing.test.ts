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

/** A model that does everything right: word by word, with pauses that its signal ends. */
const good: Stream = async function* (request, { signal, seed }) {
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
	const whole: ChatModel = { apiVersion: 1, stream: good, ...model };
	return chatModelSuite({
		create: async () => ({ model: whole, close: async () => {} }),
		supports,
	});
}

/** Runs one case by its name. */
async function runCase(cases: ReturnType<typeof suiteOf>, name: string): Promise<void> {
	const found = cases.find((one) => one.name === name);
	if (!found) throw new Error(`There is no case "${name}", only:\n${cases.map((c) => c.name).join('\n')}`);
	await found.run();
}

describe('a good model keeps the sentence:', () => {
	for (const { name, run } of suiteOf({})) it(name, run);
});

const little = { tools: false, json: 'none' } as const;

describe('a model that can little keeps the sentence:', () => {
	const stream: Stream = async function* (_request, { signal }) {
		signal.throwIfAborted();
		yield { type: 'text', text: 'Yes.' };
	};
	const cases = suiteOf({ stream, abilities: { tools: false, json: 'none' } }, little);
	for (const { name, run } of cases) it(name, run);

	it('and nothing that it denies has a case', () => {
		const names = cases.map(({ name }) => name).join();
		expect(names).not.toMatch(/is called|result of a tool|JSON answer|matches/);
	});
});

describe('a model whose abilities deny tools and JSON', () => {
	const stream: Stream = (request, run) => {
		if (request.tools.length > 0 || request.format.type !== 'text') throw new Error('was called all the same');
		return good(request, run);
	};

	it.each([
		'a tool is called when a call is required',
		'a JSON answer is an object',
		'an answer with a schema matches it',
	])('is not called, without a word in supports: %s', async (name) => {
		await runCase(suiteOf({ stream, abilities: little }, {}), name);
		await expect(runCase(suiteOf({ stream }, {}), name)).rejects.toThrow('was called all the same');
	});
});

/** A model that does one thing wrong with what it has made. */
function wrongly(change: (events: AsyncIterable<ChatEvent>) => AsyncIterable<unknown>): Stream {
	return (request, run) => change(good(request, run)) as AsyncIterable<ChatEvent>;
}

function each(change: (event: ChatEvent) => unknown): Stream {
	return wrongly(async function* (events) {
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
	[
		'is of another version',
		{ apiVersion: 2 as never },
		'the model says which version of the interface it is written for',
	],
	['says nothing', { stream: always() }, 'an answer has content, and at most one finish event'],
	[
		'ends twice',
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
		'goes on behind the end',
		{ stream: always({ type: 'finish', reason: 'stop' }, { type: 'text', text: 'a' }) },
		'an answer has content, and at most one finish event',
	],
	[
		'has text without text',
		{ stream: always({ type: 'text' }) },
		'an answer has content, and at most one finish event',
	],
	[
		'counts fractions',
		{
			stream: each((event) =>
				event.type === 'finish' ? { ...event, usage: { promptTokens: 0.5, completionTokens: 1 } } : event,
			),
		},
		'a finish event has a valid reason and integer token counts',
	],
	[
		'stumbles over results of tools',
		{
			stream: (request, run) => {
				if (request.messages.some(({ role }) => role === 'tool')) throw new Error('unknown role');
				return good(request, run);
			},
		},
		'messages of every role are accepted',
	],
	[
		'knows no bound',
		{ stream: always({ type: 'text', text: 'The total is forty-two euros, '.repeat(3) }) },
		'the token limit is kept',
	],
	[
		'counts more tokens than it may',
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
		'says that it has kept a bound, and has not',
		{
			stream: async function* (request, run) {
				for await (const event of good({ ...request, maxTokens: 9 }, run)) {
					const isBound = event.type === 'finish' && request.maxTokens !== undefined;
					yield isBound ? { type: 'finish', reason: 'length' } : event;
				}
			},
		},
		'the token limit is kept',
	],
	[
		'does not say that a bound has cut it',
		{
			stream: each((event) => (event.type === 'finish' ? { ...event, reason: 'stop' } : event)),
		},
		'the token limit is kept',
	],
	[
		'refuses without a code',
		{
			stream: (request, run) => {
				if (request.stop.length > 0) throw new Error('stop');
				return good(request, run);
			},
		},
		'an unusual request is answered, or refused with a 4xx status',
	],
	[
		'rolls dice',
		{ stream: (request, run) => good(request, { ...run, seed: ++counter }) },
		'equal requests with equal seeds get equal answers',
	],
	['speaks where JSON is wanted', { stream: always({ type: 'text', text: '42' }) }, 'a JSON answer is an object'],
	['ignores schemas', { stream: always({ type: 'text', text: '{"answer":1}' }) }, 'an answer with a schema matches it'],
	['calls nothing', { stream: always({ type: 'text', text: 'No.' }) }, 'a tool is called when a call is required'],
	['calls another tool', { stream: always(call('get_time')) }, 'a named tool is called, also one without parameters'],
	['calls what it must not', { stream: always(call('get_time')) }, 'no tool is called when calls are forbidden'],
	[
		'calls without an id',
		{ stream: always({ type: 'tool_call', index: 0, name: 'get_time' }) },
		'calls of offered tools have the right form',
	],
	[
		'leaves arguments out',
		{ stream: always({ ...call('get_time'), name: 'convert_currency' }) },
		'a tool is called when a call is required',
	],
	[
		'calls twice',
		{ stream: always(call('get_time'), { ...call('get_time'), index: 1, id: 'call_2' }) },
		'at most one call is made when only one is allowed',
	],
	[
		'is silent about results',
		{
			stream: (request, run) =>
				request.messages.at(-1)?.role === 'tool' ? always()(request, run) : good(request, run),
		},
		'the result of a tool is accepted',
	],
	[
		'does not look at its signal',
		{ stream: (request, run) => good(request, { ...run, signal: new AbortController().signal }) },
		'a call with an aborted signal ends at once',
	],
	[
		'goes on after an abort',
		{ stream: (request, run) => good(request, { ...run, signal: new AbortController().signal }) },
		'an abort ends the answer within a second',
	],
	[
		'hangs on after an abort',
		{
			async *stream() {
				await new Promise(() => {});
				yield { type: 'text', text: 'never' };
			},
		},
		'an abort ends the answer while the model works',
	],
];

describe('the suite finds a model that', () => {
	it.each(wrong)('%s', async (_, model, name) => {
		await expect(runCase(suiteOf(model), name)).rejects.toThrow();
		await runCase(suiteOf({}), name);
	});

	it.each([
		['denies the tools that it is said to call', 'the abilities do not deny tools'],
		['promises less JSON than it is said to', 'the abilities state the same JSON as supports'],
	])('%s', async (_, name) => {
		const said = { tools: true, json: 'schema' } as const;
		await expect(runCase(suiteOf({ abilities: little }, said), name)).rejects.toThrow();
		await runCase(suiteOf({}, said), name);
	});

	it.each([
		['lets tools pass that it denies', 'a request with tools is refused: the abilities deny them'],
		['lets a wish for JSON pass', 'a request for JSON is refused: the abilities deny it'],
		['lets a schema pass', 'a request with a schema is refused: the abilities deny it'],
	])('%s', async (_, name) => {
		await expect(runCase(suiteOf({}, little), name)).rejects.toThrow();
		await runCase(suiteOf({ abilities: little }, little), name);
	});
});
