import assert from 'node:assert/strict';
import { type ConformanceCase, caseMaker } from '@plinth/testing';
import { requestCases } from './requests.ts';
import { runningCases } from './running.ts';
import { speakingCases } from './speaking.ts';
import { Caller, type Check, type SpeechModelSuiteOptions } from './subject.ts';

/** All rules of the `SpeechModel` contract as cases. */
export function speechModelSuite(options: SpeechModelSuiteOptions): ConformanceCase[] {
	const caller = new Caller(options);
	const maker = caseMaker(options.create);
	const it = (name: string, check: Check) => maker(name, ({ model }) => check(model, caller));
	return [
		it('the model declares the version of its interface', async (model) => {
			assert.equal(model.apiVersion, 1);
		}),
		...speakingCases(it, options),
		...requestCases(it, options),
		...runningCases(it),
	];
}
