import assert from 'node:assert/strict';
import { type ConformanceCase, caseMaker } from '@plinth/testing';
import { answeringCases, type Check } from './answering.ts';
import { jsonCases } from './json-cases.ts';
import { runningCases } from './running.ts';
import { Caller, type ChatModelSuiteOptions } from './subject.ts';
import { toolCases } from './tool-cases.ts';

/**
 * Every sentence of the `ChatModel` contract as a case. Features that `supports` denies are not asked for. The model's
 * abilities have to deny them too, so that clients are refused.
 */
export function chatModelSuite(options: ChatModelSuiteOptions): ConformanceCase[] {
	const caller = new Caller(options);
	const maker = caseMaker(options.create);
	const it = (name: string, check: Check) => maker(name, ({ model }) => check(model, caller));
	return [
		it('the model says which version of the interface it is written for', async (model) => {
			assert.equal(model.apiVersion, 1);
		}),
		...answeringCases(it, options),
		...jsonCases(it, options),
		...toolCases(it, options),
		...runningCases(it),
	];
}
