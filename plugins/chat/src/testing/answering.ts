import assert from 'node:assert/strict';
import { assertClientError, type ConformanceCase } from '@plinth/testing';
import { checkAbilities } from '../abilities.ts';
import type { ChatMessage, ChatModel, ChatRequest } from '../model.ts';
import type { Caller, ChatModelSuiteOptions, Outcome } from './subject.ts';

/** The check of a case. */
export type Check = (model: ChatModel, caller: Caller) => Promise<void>;

/** Creates a case with a new model, which is always closed. */
export type ModelCaseMaker = (name: string, check: Check) => ConformanceCase;

/** Cases about the content and the end of answers. */
export function answeringCases(it: ModelCaseMaker, { supports = {} }: ChatModelSuiteOptions): ConformanceCase[] {
	return [
		it('an answer has content, and at most one finish event', async (model, caller) => {
			assertHasContent(await caller.answer(model));
		}),
		it('a finish event has a valid reason and integer token counts', async (model, caller) => {
			const { finish } = await caller.answer(model);
			if (!finish) return;
			assert(['stop', 'length', 'content_filter'].includes(finish.reason), finish.reason);
			for (const [name, count] of Object.entries(finish.usage ?? {})) {
				assert(Number.isInteger(count) && count >= 0, `${name} is ${count}`);
			}
		}),
		it('messages of every role are accepted', async (model, caller) => {
			const request = { messages: longConversation };
			assertHasContent(await caller.answer(model, { request }));
		}),
		it('the token limit is kept', async (model, caller) => {
			const whole = await caller.answer(model);
			const short = await caller.answer(model, { request: { maxTokens: 1 } });
			const counted = short.finish?.usage?.completionTokens ?? 0;
			assert(counted <= 1, `${counted} tokens were made where 1 was allowed`);
			assert(short.text.length <= 64, `one token has ${short.text.length} characters`);
			if ((whole.finish?.usage?.completionTokens ?? 0) > 1) assertCut(short, whole);
		}),
		it('an unusual request is answered, or rejected with a 4xx status', async (model, caller) => {
			for (const request of unusualRequests) {
				await caller.answer(model, { request }).then(assertHasContent, assertClientError);
			}
		}),
		it('concurrent answers do not affect each other', async (model, caller) => {
			const answers = [1, 2].map((seed) => caller.answer(model, { seed }));
			for (const outcome of await Promise.all(answers)) assertHasContent(outcome);
		}),
		...(supports.deterministic
			? [
					it('equal requests with equal seeds get equal answers', async (model, caller) => {
						const [first, second] = [await caller.answer(model), await caller.answer(model)];
						assert.equal(second.text, first.text);
					}),
				]
			: []),
	];
}

/** Fails unless the model's abilities refuse a request, with a status of 400 to 499, before the model is called. */
export function assertRefused({ abilities = {} }: ChatModel, request: ChatRequest): void {
	assert.throws(
		() => checkAbilities(abilities, request),
		(error) => {
			assertClientError(error);
			return true;
		},
		'the abilities do not deny the request',
	);
}

/** Fails for an answer without visible content. */
export function assertHasContent({ events }: Outcome): void {
	const hasContent = events.some(
		(event) => event.type === 'tool_call' || ((event.type === 'text' || event.type === 'refusal') && event.text !== ''),
	);
	assert(hasContent, 'the answer is empty');
}

/** Fails when an answer with a token limit is as long as the one without, or does not end with `length`. */
function assertCut({ text, finish }: Outcome, whole: Outcome): void {
	assert(text === '' || text.length < whole.text.length, `"${text}" is not shorter than without a limit`);
	assert.equal(finish?.reason, 'length', `it ended with ${finish?.reason}, not with length`);
}

const textParts = (text: string) => [{ type: 'text', text }] as const;

const longConversation: readonly ChatMessage[] = [
	{ role: 'system', content: textParts('Be kind.') },
	{ role: 'user', name: 'ann', content: textParts('Hello.') },
	{ role: 'assistant', content: textParts('Hello, Ann.'), toolCalls: [] },
	{ role: 'assistant', content: [], refusal: 'I cannot say more.', toolCalls: [] },
	{
		role: 'assistant',
		content: [],
		toolCalls: [{ id: 'call_1', name: 'get_time', arguments: '{}' }],
	},
	{ role: 'tool', callId: 'call_1', content: textParts('noon') },
	{ role: 'user', content: textParts('What did I ask?') },
];

const unusualRequests: readonly Partial<ChatRequest>[] = [
	{ messages: [{ role: 'user', content: textParts('') }] },
	{ messages: [{ role: 'user', content: textParts('🦊'.repeat(50_000)) }] },
	{ messages: [{ role: 'user', content: textParts('a\0b\ud800') }] },
	{ messages: [{ role: 'assistant', content: textParts('Nobody asked.'), toolCalls: [] }] },
	{ temperature: 2, topP: 0, presencePenalty: -2, frequencyPenalty: 2, stop: ['a', 'e', ' '] },
];
