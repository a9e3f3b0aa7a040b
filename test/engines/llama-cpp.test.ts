import { join } from 'node:path';
import type { JsonObject } from '@plinth/core';
import type { ChatModel, ChatTool } from '@plinth/plugin-chat/model';
import { chatModelSuite } from '@plinth/plugin-chat/testing';
import type { RunningModel } from '@plinth/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asking, chatModel, enginesOf, modelFolder, response, stream } from './support/models.ts';
import { writeTinyModel } from './support/tiny-gguf.ts';

const { folder, remove } = modelFolder();
const ajv = new Ajv2020({ formats: { date: /^\d{4}-\d\d-\d\d$/ }, allowUnionTypes: true });
const seeds = Array.from({ length: 30 }, (_, seed) => seed);
let running: RunningModel<ChatModel>;
let model: ChatModel;

beforeAll(async () => {
	await writeTinyModel(join(folder, 'tiny.gguf'));
	await writeTinyModel(join(folder, 'endless.gguf'), { endBias: -20 });
	running = await chatModel(folder, { file: 'tiny.gguf', slots: 2 });
	({ model } = running);
});

afterAll(async () => {
	await running?.close();
	await remove();
});

/** A model next to the shared one, for a test with other options. */
async function withModel(options: Parameters<typeof chatModel>[1], work: (model: ChatModel) => Promise<void>) {
	const other = await chatModel(folder, options);
	try {
		await work(other.model);
	} finally {
		await other.close();
	}
}

describe('a model with random weights passes the conformance suite of chat models', () => {
	for (const { name, run } of chatModelSuite({
		create: async () => ({ model, close: async () => {} }),
		supports: { tools: true, json: 'schema' },
	})) {
		test(name, run);
	}
});

const tree = {
	type: 'object',
	properties: {
		title: { type: 'string', minLength: 2, maxLength: 12 },
		day: { type: 'string', format: 'date' },
		count: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
		share: { type: ['number', 'null'] },
		kind: { enum: ['bill', 'letter', 3, null] },
		tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
		child: { anyOf: [{ $ref: '#/$defs/child' }, { type: 'null' }] },
		notes: { type: 'object', additionalProperties: { type: 'boolean' } },
	},
	required: ['title', 'day', 'count', 'share', 'kind', 'tags', 'child', 'notes'],
	additionalProperties: false,
	$defs: {
		child: {
			type: 'object',
			properties: { name: { const: 'child' }, next: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/child' }] } },
			required: ['name', 'next'],
			additionalProperties: false,
		},
	},
} as const;

describe('grammars', () => {
	test('make every response match a schema', async () => {
		const fits = ajv.compile(tree);
		const format = { type: 'schema', name: 'tree', schema: tree, isStrict: true } as const;
		for (const seed of seeds) {
			const { text, finish } = await response(model, asking('Describe it.', { format, temperature: 1.5 }), seed);
			expect({ text, reason: finish.reason }).toEqual({ text, reason: 'stop' });
			expect(fits(JSON.parse(text)), `${text} ${ajv.errorsText(fits.errors)}`).toBe(true);
		}
	});

	test('make every response a JSON object', async () => {
		for (const seed of seeds) {
			const { text } = await response(model, asking('Describe it.', { format: { type: 'json' } }), seed);
			expect(JSON.parse(text)).toBeTypeOf('object');
			expect(text.trimStart()[0]).toBe('{');
		}
	});

	test('make the arguments of every call match', async () => {
		const tools: readonly ChatTool[] = [
			{ name: 'plant', description: 'Plants a tree.', parameters: tree, isStrict: true },
			{ name: 'now', isStrict: false },
		];
		const fits = ajv.compile(tree);
		const called = new Set<string>();
		for (const seed of seeds) {
			const request = asking('Plant it.', { tools, toolChoice: 'required', temperature: 1.5 });
			const { calls, finish } = await response(model, request, seed);
			expect(finish.reason).toBe('tool_calls');
			expect(calls).toHaveLength(1);
			for (const { name = '', arguments: text = '' } of calls) {
				called.add(name);
				if (name === 'plant') expect(fits(JSON.parse(text)), `${text} ${ajv.errorsText(fits.errors)}`).toBe(true);
				else expect(text).toBe('{}');
			}
		}
		expect([...called].sort()).toEqual(['now', 'plant']);
	});

	test('call the named tool', async () => {
		const tools: readonly ChatTool[] = ['a', 'b', 'c'].map((name) => ({ name, isStrict: false }));
		for (const { name } of tools) {
			const { calls } = await response(model, asking('Call.', { tools, toolChoice: { name } }));
			expect(calls.map((call) => call.name)).toEqual([name]);
		}
	});

	test('are refused for a strict schema that they cannot guarantee', async () => {
		const schema = { type: 'object', properties: { zip: { type: 'string', pattern: '^[0-9]{5}$' } } };
		const format = { type: 'schema', name: 'zip', schema } as const;
		const strict = response(model, asking('Where?', { format: { ...format, isStrict: true } }));
		await expect(strict).rejects.toMatchObject({
			spec: { status: 400 },
			param: 'response_format.json_schema.schema',
			message: expect.stringContaining('.properties.zip: this model cannot guarantee pattern'),
		});
		const { warnings, text } = await response(model, asking('Where?', { format: { ...format, isStrict: false } }));
		expect(warnings).toEqual(['This model does not enforce pattern of response_format.json_schema.schema.']);
		expect(JSON.parse(text).zip).toBeTypeOf('string');
	});
});

describe('a hostile schema is answered or refused, and the engine survives:', () => {
	const nested = (levels: number): object =>
		levels === 0 ? { type: 'null' } : { type: 'array', items: nested(levels - 1), minItems: 1_000, maxItems: 1_000 };
	const bounded = (_: unknown, at: number) => [`p${at}`, { type: 'string', minLength: at, maxLength: 1_000 }] as const;
	const twice = (at: number) => ({ anyOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] });
	const doubling = (_: unknown, at: number) =>
		[`d${at}`, at === 59 ? { type: 'null' } : { type: 'array', items: twice(at + 1) }] as const;
	test.each<[string, object]>([
		['names of any characters', { properties: { 'a"b\\c\n\0é🦊\ud800': { type: 'null' }, '': { type: 'null' } } }],
		['a name of 100,000 characters', { properties: { ['x'.repeat(100_000)]: { type: 'null' } } }],
		['names of prototypes', JSON.parse('{"properties":{"__proto__":{"type":"null"},"constructor":{"type":"null"}}}')],
		['values of any kind', { enum: ['"\\\n\0\ud800🦊', { a: [1, { b: null }] }, [], 1e300, -0, 'z'.repeat(200_000)] }],
		['1,900 values', { enum: Array.from({ length: 1_900 }, (_, at) => `value ${at}`) }],
		['lists of a thousand lists, 20 levels deep', nested(20)],
		['900 bounded strings', { properties: Object.fromEntries(Array.from({ length: 900 }, bounded)) }],
		['itself', { $ref: '#' }],
		['an anyOf of itself', { anyOf: [{ $ref: '#' }, { type: 'null' }] }],
		['cyclic definitions', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
		[
			'2 to the power of 59 alternatives',
			{ $ref: '#/$defs/d0', $defs: Object.fromEntries(Array.from({ length: 60 }, doubling)) },
		],
		['bounds that contradict each other', { type: 'string', minLength: 5, maxLength: 2 }],
		['negative and broken bounds', { type: 'array', items: { type: 'null' }, minItems: -1.5, maxItems: 1.5 }],
	])('%s', async (_, schema) => {
		const pids = enginesOf();
		const format = { type: 'schema', name: 'hostile', schema: schema as JsonObject, isStrict: true } as const;
		const tools = [{ name: 'hostile', parameters: schema as JsonObject, isStrict: true }];
		for (const more of [{ format }, { tools, toolChoice: 'required' } as const]) {
			const asked = response(model, asking('Go on.', { ...more, maxTokens: 100 }));
			await asked.catch((error) => expect(error).toMatchObject({ spec: { status: 400 } }));
		}
		expect(enginesOf()).toEqual(pids);
	});
});

describe('an answer', () => {
	test('arrives in chunks', async () => {
		const { pieces, text } = await response(model, asking('Hello'));
		expect(pieces).toBeGreaterThan(10);
		expect(text.length).toBeGreaterThanOrEqual(pieces);
	});

	test('is the same for a seed, and another one for another seed', async () => {
		const ask = async (seed: number) => (await response(model, asking('Hello', { maxTokens: 40 }), seed)).text;
		const texts = [await ask(3), await ask(3), await ask(4)];
		expect(texts[0]?.length).toBeGreaterThan(10);
		expect(texts[1]).toBe(texts[0]);
		expect(texts[2]).not.toBe(texts[0]);
	});

	test('does not depend on the seed at temperature 0', async () => {
		const coldest = (seed: number) => response(model, asking('Hello', { temperature: 0, maxTokens: 40 }), seed);
		expect((await coldest(2)).text).toBe((await coldest(1)).text);
	});

	test('ends before a stop sequence', async () => {
		const whole = await response(model, asking('Hello'));
		const stop = whole.text.slice(20, 22);
		const cut = await response(model, asking('Hello', { stop: [stop] }));
		expect(cut.text).toBe(whole.text.slice(0, whole.text.indexOf(stop)));
		expect(cut.finish.reason).toBe('stop');
	});

	test('counts its tokens, and the cached tokens of the prompt', async () => {
		const conversation = asking('Tell me about the roof of the house and its price.', { maxTokens: 5 });
		await response(model, conversation);
		const { usage, reason } = (await response(model, conversation)).finish;
		expect(reason).toBe('length');
		expect(usage?.completionTokens).toBe(5);
		expect(usage?.promptTokens).toBeGreaterThan(50);
		expect(usage?.cachedTokens).toBe((usage?.promptTokens ?? 0) - 1);
	});

	test('ends when the context is full', async () => {
		await withModel({ file: 'endless.gguf', contextSize: 256 }, async (small) => {
			const { finish } = await response(small, asking('Go on.'));
			expect(finish.reason).toBe('length');
			const { promptTokens = 0, completionTokens = 0 } = finish.usage ?? {};
			expect(promptTokens + completionTokens).toBeGreaterThan(250);
			expect(promptTokens + completionTokens).toBeLessThanOrEqual(256);
		});
	});

	test('is refused when the conversation is longer than the context', async () => {
		const long = response(model, asking('word '.repeat(4_000)));
		await expect(long).rejects.toMatchObject({
			spec: { status: 400, code: 'context_length_exceeded' },
			param: 'messages',
		});
	});
});

describe('places', () => {
	test('generate at the same time', async () => {
		const requests = [asking('One', { maxTokens: 60 }), asking('Two', { maxTokens: 60 })];
		const order: number[] = [];
		const read = async (index: number) => {
			for await (const event of stream(model, requests[index] as (typeof requests)[number])) {
				if (event.type === 'text') order.push(index);
			}
		};
		await Promise.all([read(0), read(1)]);
		const changes = order.filter((place, at) => at > 0 && place !== order[at - 1]);
		expect(changes.length).toBeGreaterThan(5);
	});

	test('are free again after 1,000 clients that disconnect at random', { timeout: 300_000 }, async () => {
		const pids = enginesOf();
		let state = 1;
		// A linear congruential generator, so that a failure can be reproduced.
		const below = (limit: number) => {
			state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
			return Math.floor((state / 2 ** 32) * limit);
		};
		const visit = async (seed: number) => {
			const stop = new AbortController();
			let left = below(12);
			if (left === 0) setImmediate(() => stop.abort(new Error('gone')));
			try {
				for await (const _ of stream(model, asking(`Hello ${seed % 7}`), seed, stop.signal)) {
					if (left-- !== 1) continue;
					if (seed % 2) stop.abort(new Error('gone'));
					else break;
				}
			} catch (error) {
				expect(error).toMatchObject({ message: 'gone' });
			}
		};
		for (let round = 0; round < 250; round++) await Promise.all([0, 1, 2, 3].map((at) => visit(round * 4 + at)));
		const both = await Promise.all([1, 2].map((seed) => response(model, asking('Hello'), seed)));
		for (const { text } of both) expect(text).not.toBe('');
		expect(enginesOf()).toEqual(pids);
	});

	test('are free again within one token after an abort, in the same process', async () => {
		await withModel({ file: 'endless.gguf' }, async (endless) => {
			const before = new Set(enginesOf());
			const stop = new AbortController();
			const reason = new Error('The client has left.');
			const events = stream(endless, asking('Go on.'), 7, stop.signal)[Symbol.asyncIterator]();
			await events.next();
			stop.abort(reason);
			await expect(events.next()).rejects.toBe(reason);
			const next = await response(endless, asking('And now?', { maxTokens: 3 }));
			expect(next.finish.usage?.completionTokens).toBe(3);
			expect(enginesOf().filter((pid) => !before.has(pid))).toHaveLength(1);
		});
	});
});
