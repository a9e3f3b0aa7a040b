import { modelError, type RawBody } from '@plinth/core';
import { answering, errorOf, forwardRequest, losing } from '@plinth/testing';
import { mediaError } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import type { ChatModel } from '../src/model.ts';
import { file, type HarnessOptions, harness, textEvents, tool, user } from './harness.ts';

const answer = JSON.stringify({ id: 'from upstream', choices: [] });

/** A forward request to an upstream that answers immediately or fails to connect. */
const request = (raw: RawBody, isLost = false) =>
	forwardRequest(raw, { dispatcher: isLost ? losing : answering(answer) });

type Fields = Record<string, unknown>;

/** An app whose model passes requests through, and the bodies that the upstream would receive. */
async function passthroughApp(options: HarnessOptions = {}) {
	const bodies: RawBody[] = [];
	const found = await harness({
		forward(raw) {
			bodies.push(raw);
			return request(raw);
		},
		...options,
	});
	return { ...found, bodies };
}

const messages = [user('Hello?')];
const answered = [
	user('What time is it?'),
	{
		role: 'assistant',
		content: null,
		tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }],
	},
	{ role: 'tool', tool_call_id: 'c1', content: 'Noon.' },
];

describe('a request that passes through', () => {
	test.each<[string, Fields]>([
		['text', { messages }],
		['parts of text', { messages: [user({ type: 'text', text: 'Hello?' })] }],
		['instructions', { messages: [{ role: 'system', content: 'Be brief.' }, ...messages] }],
		['what a tool has answered', { messages: answered }],
		['what was refused before', { messages: [{ role: 'assistant', refusal: 'No.' }, ...messages] }],
		['tools', { tools: [tool('now')], tool_choice: 'required', parallel_tool_calls: false }],
		['a schema', { response_format: { type: 'json_schema', json_schema: { name: 'a' } } }],
		['one answer', { n: 1 }],
		[
			'every number',
			{
				temperature: 1,
				top_p: 0.5,
				presence_penalty: 1,
				frequency_penalty: -1,
				seed: 7,
				max_tokens: 5,
			},
		],
		['words', { stop: ['a', 'b'], user: 'u', reasoning_effort: 'low' }],
		['log probabilities that the model reports', { logprobs: true, top_logprobs: 2 }],
		['members that the model names', { top_k: 4, metadata: { a: 1 } }],
	])('%s', async (_, fields) => {
		const { ask, bodies, calls } = await passthroughApp({
			abilities: { logprobs: true, extra: ['top_k', 'metadata'] },
		});
		const response = await ask(fields);
		expect([response.status, await response.text()]).toEqual([200, answer]);
		expect(response.headers.get('x-plinth-model')).toBe('fake-1');
		expect([bodies.length, calls.length]).toEqual([1, 0]);
	});
});

describe('a request that is translated', () => {
	const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
	test.each<[string, Fields, HarnessOptions?]>([
		['a file', { messages: [user(file('a'))] }],
		['a picture', { messages: [user(picture)] }],
		['two answers', { n: 2 }],
		['a conversation that is too long', { messages: [user('a'.repeat(300_000))] }],
		['an unknown member', { service_tier: 'priority' }],
		['an unknown member of a message', { messages: [{ ...user('a'), cache_control: {} }] }],
		['an unknown member of a tool', { tools: [{ ...tool('now'), price: 1 }] }],
		['what means absence', { temperature: null }],
		['two bounds', { max_tokens: 1, max_completion_tokens: 2 }],
		['no tools in a list', { tools: [] }],
		['a choice among no tools', { tool_choice: 'auto' }],
		['how to call no tools', { parallel_tool_calls: true }],
		['the older form of tools', { functions: [{ name: 'now' }] }],
		[
			'the older form of a call',
			{
				messages: [
					{ role: 'assistant', content: null, function_call: { name: 'now', arguments: '{}' } },
					{ role: 'function', name: 'now', content: 'Noon.' },
				],
			},
		],
		['options of no stream', { stream: false, stream_options: { include_usage: true } }],
		['logprobs', { logprobs: true }],
		['modalities', { modalities: ['text'] }],
	])('%s', async (_, fields, options) => {
		const { ask, bodies, calls } = await passthroughApp(options);
		const response = await ask(fields);
		expect(response.status).toBe(200);
		expect(await response.text()).not.toBe(answer);
		expect(bodies).toEqual([]);
		expect(calls.length).toBeGreaterThan(0);
	});

	test('has a duplicate member', async () => {
		const { ask, bodies } = await passthroughApp();
		const body = '{"model":"fake-1","messages":[{"role":"user","content":"a"}],"seed":1,"seed":2}';
		expect((await ask({}, { body })).status).toBe(200);
		expect(bodies).toEqual([]);
	});

	test('is for a model without passthrough', async () => {
		const { ask, calls } = await harness({ forward: () => undefined });
		expect((await ask()).status).toBe(200);
		expect(calls).toHaveLength(1);
	});
});

describe('a request that is rejected', () => {
	test.each<[string, Fields, string, HarnessOptions?]>([
		['a value that is not allowed', { temperature: 9 }, 'temperature'],
		['alternatives without logprobs', { top_logprobs: 1 }, 'top_logprobs', { abilities: { logprobs: true } }],
		['an answer to no call', { messages: answered.slice(2) }, 'messages[0].tool_call_id'],
		[
			'a tool that is not there',
			{ tools: [tool('a')], tool_choice: { type: 'function', function: { name: 'b' } } },
			'tool_choice.function.name',
		],
		['tools of a model without', { tools: [tool('now')] }, 'tools', { abilities: { tools: false } }],
		[
			'JSON of a model without',
			{ response_format: { type: 'json_object' } },
			'response_format.type',
			{ abilities: { json: 'none' } },
		],
	])('%s does not reach an upstream', async (_, fields, param, options) => {
		const { ask, bodies } = await passthroughApp(options);
		expect(await errorOf(await ask(fields))).toMatchObject({ status: 400, param });
		expect(bodies).toEqual([]);
	});

	test('has the same error for an unknown model as a translated request', async () => {
		const { ask } = await passthroughApp();
		expect(await errorOf(await ask({ model: 'gone' }))).toMatchObject({
			status: 404,
			code: 'model_not_found',
		});
	});
});

describe('a passthrough that fails', () => {
	test('before its response is repeated as a translated request', async () => {
		const { ask, calls } = await harness({ forward: (raw) => request(raw, true) });
		const response = await ask();
		expect([response.status, calls.length]).toEqual([200, 1]);
	});

	test('because of the client is not repeated', async () => {
		const { ask, calls } = await harness({
			forward(raw) {
				return { ...request(raw, true), lost: () => mediaError('E_CONTEXT_TOO_LONG') };
			},
		});
		expect(await errorOf(await ask())).toMatchObject({ code: 'context_length_exceeded' });
		expect(calls).toEqual([]);
	});

	test('is repeated through the passthrough of the next model', async () => {
		const second: ChatModel = {
			apiVersion: 1,
			stream: () => textEvents('not asked'),
			forward: (raw) => request(raw),
		};
		const { ask, calls } = await harness({
			forward: (raw) => request(raw, true),
			binding: { fallback: ['second'] },
			others: { second },
		});
		const response = await ask();
		expect(await response.text()).toBe(answer);
		expect(response.headers.get('x-plinth-model')).toBe('second');
		expect(calls).toEqual([]);
	});

	test('is translated for a next model without passthrough', async () => {
		const { ask, calls } = await harness({
			forward: (raw) => request(raw, true),
			stream() {
				throw modelError('broken');
			},
			binding: { fallback: ['second'] },
			others: { second: { apiVersion: 1, stream: () => textEvents('Here.') } },
		});
		expect(await (await ask()).json()).toMatchObject({ model: 'second' });
		expect(calls).toHaveLength(1);
	});
});

test('the upstream receives the unchanged bytes with its own name of the model', async () => {
	const { ask, bodies } = await passthroughApp();
	const body = '{ "messages" : [{"role":"user","content":"\\u00e4"}], "model":"fake-1" }';
	await ask({}, { body });
	expect(bodies[0]?.withModel('theirs').toString()).toBe(body.replace('fake-1', 'theirs'));
});
