import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/testing';
import type { ChatMessage, ChatModel } from '../model.ts';
import { assertHasContent, assertRefused, type Check, type ModelCaseMaker } from './answering.ts';
import { conversation, tools } from './conversation.ts';
import type { Caller, ChatModelSuiteOptions, Outcome } from './subject.ts';

/** Cases about tool calls. */
export function toolCases(maker: ModelCaseMaker, { supports = {} }: ChatModelSuiteOptions): ConformanceCase[] {
	const checkRefusal = async (model: ChatModel) => assertRefused(model, { ...conversation('Why?'), tools });
	if (supports.tools === false)
		return [maker('a request with tools is rejected when the abilities deny them', checkRefusal)];
	const it = (name: string, check: Check) =>
		maker(name, (model, caller) => {
			const isDenied = supports.tools === undefined && model.abilities?.tools === false;
			return isDenied ? checkRefusal(model) : check(model, caller);
		});
	const requiredCases = [
		it('a tool is called when a call is required', async (model, caller) => {
			const request = { tools, toolChoice: 'required' } as const;
			const { calls, finish } = await caller.answer(model, { request });
			assertCalls(calls);
			assert(calls.length > 0, 'nothing was called');
			assert([undefined, 'tool_calls'].includes(finish?.reason), `it ended with ${finish?.reason}`);
		}),
		it('a named tool is called, also one without parameters', async (model, caller) => {
			for (const { name } of tools) {
				const { calls } = await caller.answer(model, { request: { tools, toolChoice: { name } } });
				assertCalls(calls);
				assert.deepEqual(new Set(calls.map((call) => call.name)), new Set([name]));
			}
		}),
	];
	return [
		it('the abilities do not deny tools', async ({ abilities }) => {
			assert.notEqual(abilities?.tools, false);
		}),
		it('calls of offered tools have the right form', async (model, caller) => {
			const outcome = await caller.answer(model, { request: { tools } });
			assertHasContent(outcome);
			assertCalls(outcome.calls);
		}),
		it('no tool is called when calls are forbidden', async (model, caller) => {
			const { calls } = await caller.answer(model, { request: { tools, toolChoice: 'none' } });
			assert.deepEqual(calls, []);
		}),
		it('at most one call is made when only one is allowed', async (model, caller) => {
			const request = { tools, toolChoice: 'auto', parallelToolCalls: false } as const;
			const { calls } = await caller.answer(model, { request });
			assert(calls.length <= 1, `${calls.length} calls were made`);
		}),
		it('the result of a tool is accepted', async (model, caller) => {
			assertHasContent(await afterResult(caller, model));
		}),
		...(supports.requiredTools === false ? [] : requiredCases),
	];
}

function assertCalls(calls: Outcome['calls']): void {
	for (const { name, arguments: text } of calls) {
		const tool = tools.find((each) => each.name === name);
		assert(tool, `${name} was called, which was not offered`);
		const value: unknown = JSON.parse(text || '{}');
		assert(typeof value === 'object' && value !== null && !Array.isArray(value), text);
		if (name !== 'convert_currency') continue;
		const { amount, currency } = value as Record<string, unknown>;
		assert.equal(typeof amount, 'number', text);
		assert.equal(typeof currency, 'string', text);
	}
}

function afterResult(caller: Caller, model: Parameters<Caller['answer']>[0]): Promise<Outcome> {
	const [tool] = tools;
	const messages: readonly ChatMessage[] = [
		...conversation('What is the total in crowns?').messages,
		{
			role: 'assistant',
			content: [],
			toolCalls: [{ id: 'call_1', name: tool?.name ?? '', arguments: '{"amount":42,"currency":"SEK"}' }],
		},
		{ role: 'tool', callId: 'call_1', content: [{ type: 'text', text: '{"amount":480}' }] },
	];
	return caller.answer(model, { request: { messages, tools } });
}
