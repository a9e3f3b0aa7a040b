import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/testing';
import type { ChatFormat } from '../model.ts';
import { assertRefused, type ModelCaseMaker } from './answering.ts';
import { conversation, isAsDescribed, schema } from './conversation.ts';
import type { ChatModelSuiteOptions } from './subject.ts';

/** Answers for programs. */
export function jsonCases(it: ModelCaseMaker, { supports = {} }: ChatModelSuiteOptions): ConformanceCase[] {
	const { json = 'schema' } = supports;
	const refused = (name: string, format: ChatFormat) =>
		it(name, async (model) => assertRefused(model, { ...conversation('Why?'), format }));
	return [
		it('the JSON that a model promises is what its abilities say', async ({ abilities }) => {
			assert.equal(abilities?.json ?? 'schema', json);
		}),
		json === 'none'
			? refused('a request for JSON is refused: the abilities deny it', { type: 'json' })
			: it('an answer that is to be JSON is an object', async (model, caller) => {
					const { text } = await caller.answer(model, { request: { format: { type: 'json' } } });
					const value: unknown = JSON.parse(text);
					assert(typeof value === 'object' && value !== null && !Array.isArray(value), text);
				}),
		json === 'schema'
			? it('an answer that has a schema is as the schema says', async (model, caller) => {
					const { text } = await caller.answer(model, { request: { format: described } });
					assert(isAsDescribed(JSON.parse(text)), text);
				})
			: refused('a request with a schema is refused: the abilities deny it', described),
	];
}

const described: ChatFormat = { type: 'schema', name: 'reply', schema, isStrict: true };
