import assert from 'node:assert/strict';
import { type ConformanceCase, caseMaker } from '@plinth/testing';
import { makingCases } from './making.ts';
import { referenceCases } from './reference.ts';
import { resumingCases } from './resuming.ts';
import { runningCases } from './running.ts';
import { Caller, type Check, type VideoModelSuiteOptions } from './subject.ts';

/** All rules of the `VideoModel` contract as cases. */
export function videoModelSuite(options: VideoModelSuiteOptions): ConformanceCase[] {
	const caller = new Caller(options);
	const maker = caseMaker(options.create);
	const it = (name: string, check: Check) => maker(name, ({ model }) => check(model, caller));
	return [
		it('the model declares the version of its interface', async (model) => {
			assert.equal(model.apiVersion, 1);
		}),
		...makingCases(it, options),
		...referenceCases(it, options),
		...resumingCases(it, options),
		...runningCases(it, options),
	];
}
