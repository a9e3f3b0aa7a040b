import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/testing';
import type { ChatFormat, ChatModel } from '../model.ts';
import { assertRefused, type Check, type ModelCaseMaker } from './answering.ts';
import { conversation, matchesSchema, schema } from './conversation.ts';
import type { ChatModelSuiteOptions } from './subject.ts';

/** Cases about JSON answers. */
export function jsonCases(it: ModelCaseMaker, { supports = {} }: ChatModelSuiteOptions): ConformanceCase[] {
	const { json } = supports;
	const jsonOf = ({ abilities }: ChatModel) => json ?? abilities?.json ?? 'schema';
	const checkRefusal = (format: ChatFormat) => async (model: ChatModel) =>
		assertRefused(model, { ...conversation('Why?'), format });
	const object: Check = async (model, caller) => {
		if (jsonOf(model) === 'none') return checkRefusal({ type: 'json' })(model);
		const { text } = await caller.answer(model, { request: { format: { type: 'json' } } });
		const value: unknown = JSON.parse(text);
		assert(typeof value === 'object' && value !== null && !Array.isArray(value), text);
	};
	const bySchema: Check = async (model, caller) => {
		if (jsonOf(model) !== 'schema') return checkRefusal(schemaFormat)(model);
		const { text } = await caller.answer(model, { request: { format: schemaFormat } });
		assert(matchesSchema(JSON.parse(text)), text);
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
			? it('a request for JSON is rejected when the abilities deny it', checkRefusal({ type: 'json' }))
			: it('a JSON answer is an object', object),
		json === 'none' || json === 'json'
			? it('a request with a schema is rejected when the abilities deny it', checkRefusal(schemaFormat))
			: it('an answer with a schema matches it', bySchema),
	];
}

const schemaFormat: ChatFormat = { type: 'schema', name: 'reply', schema, isStrict: true };
