import assert from 'node:assert/strict';
import { type ConformanceCase, caseMaker } from '@plinth/testing';
import { answeringCases, type Check } from './answering.ts';
import { jsonCases } from './json-cases.ts';
import { runningCases } from './running.ts';
import { Caller, type ChatModelSuiteOptions } from './subject.ts';
import { toolCases } from './tool-cases.ts';

/**
 * All rules of the `ChatModel` contract as cases. If the abilities of the model deny tools or JSON, the cases about
 * them check that such requests are rejected. If `supports` denies them, one case checks that the abilities deny them
 * too.
 */
export function chatModelSuite(options: ChatModelSuiteOptions): ConformanceCase[] {
	const caller = new Caller(options);
	const maker = caseMaker(options.create);
	const it = (name: string, check: Check) => maker(name, ({ model }) => check(model, caller));
	return [
		it('the model declares the version of its interface', async (model) => {
			assert.equal(model.apiVersion, 1);
		}),
		...answeringCases(it, options),
		...jsonCases(it, options),
		...toolCases(it, options),
		...runningCases(it),
	];
}
