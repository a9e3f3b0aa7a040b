import assert from 'node:assert/strict';
import { type ConformanceCase, caseMaker } from '@plinth/core/testing';
import { answeringCases, type Check, jsonCases } from './answering.ts';
import { runningCases } from './running.ts';
import { Caller, type ChatModelSuiteOptions } from './subject.ts';
import { toolCases } from './tool-cases.ts';

/** Every sentence of the `ChatModel` contract as a case. What a model's abilities deny is not asked for. */
export function chatModelSuite(options: ChatModelSuiteOptions): ConformanceCase[] {
	const caller = new Caller(options);
	const maker = caseMaker(options.create);
	const it = (name: string, check: Check) => maker(name, ({ model }) => check(model, caller));
	return [
		it('the model says which version of the interface it is written for', async (model) => {
			assert.equal(model.apiVersion, 1);
		}),
		...answeringCases(it, options),
		...jsonCases(it),
		...toolCases(it, options),
		...runningCases(it),
	];
}
