import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/core/testing';
import { type CaseMaker, caseMaker } from './cases.ts';
import { editingCases } from './editing.ts';
import { generatingCases, makingCases } from './making.ts';
import { runningCases } from './running.ts';
import { Caller, type ImageModelSuiteOptions, type Operation } from './subject.ts';

/** Every sentence of the `ImageModel` contract as a case. */
export function imageModelSuite(options: ImageModelSuiteOptions): ConformanceCase[] {
	const { supports = {} } = options;
	const it = caseMaker(options, new Caller(options));
	return [
		it('the model says which version of the interface it is written for', async (model) => {
			assert.equal(model.apiVersion, 1);
		}),
		...(supports.generate === false
			? [lacking(it, 'generate')]
			: [...operationCases(it, 'generate', options), ...generatingCases(it, options)]),
		...(supports.edit === false
			? [lacking(it, 'edit')]
			: [...operationCases(it, 'edit', options), ...editingCases(it, options)]),
	];
}

function operationCases(
	it: CaseMaker,
	operation: Operation,
	options: ImageModelSuiteOptions,
): ConformanceCase[] {
	return [...makingCases(it, operation, options), ...runningCases(it, operation, options)];
}

function lacking(it: CaseMaker, operation: Operation): ConformanceCase {
	return it(`${operation}: what the model does not do it has no method for`, async (model) => {
		assert.equal(model[operation], undefined);
	});
}
