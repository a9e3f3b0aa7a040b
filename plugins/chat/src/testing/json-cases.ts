import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/testing';
import type { ChatFormat, ChatModel } from '../model.ts';
import { assertRefused, type Check, type ModelCaseMaker } from './answering.ts';
import { conversation, isAsDescribed, schema } from './conversation.ts';
import type { ChatModelSuiteOptions } from './subject.ts';

/** Cases about JSON answers. */
export function jsonCases(it: ModelCaseMaker, { supports = {} }: ChatModelSuiteOptions): ConformanceCase[] {
	const { json } = supports;
	const jsonOf = ({ abilities }: ChatModel) => json ?? abilities?.json ?? 'schema';
	const refused = (format: ChatFormat) => async (model: ChatModel) =>
		assertRefused(model, { ...conversation('Why?'), format });
	const object: Check = async (model, caller) => {
		if (jsonOf(model) === 'none') return refused({ type: 'json' })(model);
		const { text } = await caller.answer(model, { request: { format: { type: 'json' } } });
		const value: unknown = JSON.parse(text);
		assert(typeof value === 'object' && value !== null && !Array.isArray(value), text);
	};
	const bySchema: Check = async (model, caller) => {
		if (jsonOf(model) !== 'schema') return refused(described)(model);
		const { text } = await caller.answer(model, { request: { format: described } });
		assert(isAsDescribed(JSON.parse(text)), text);
	};
	return [
		...(json === undefined
			? []
			: [
					it('the abilities state the same JSON as supports', async ({ abilities }) => {
						assert.equal(abilities?.json ?? 'schema', json);
					}),
				]),
		json === 'none'
			? it('a request for JSON is refused: the abilities deny it', refused({ type: 'json' }))
			: it('a JSON answer is an object', object),
		json === 'none' || json === 'json'
			? it('a request with a schema is refused: the abilities deny it', refused(described))
			: it('an answer with a schema matches it', bySchema),
	];
}

const described: ChatFormat = { type: 'schema', name: 'reply', schema, isStrict: true };
