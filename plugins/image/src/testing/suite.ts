import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/testing';
import { type ModelCaseMaker, modelCases } from './cases.ts';
import { editingCases } from './editing.ts';
import { generatingCases, makingCases } from './making.ts';
import { runningCases } from './running.ts';
import { Caller, type ImageModelSuiteOptions, type Operation } from './subject.ts';

/** Every sentence of the `ImageModel` contract as a case. */
export function imageModelSuite(options: ImageModelSuiteOptions): ConformanceCase[] {
	const { supports = {} } = options;
	const it = modelCases(options, new Caller(options));
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

function operationCases(it: ModelCaseMaker, operation: Operation, options: ImageModelSuiteOptions): ConformanceCase[] {
	return [...makingCases(it, operation, options), ...runningCases(it, operation, options)];
}

function lacking(it: ModelCaseMaker, operation: Operation): ConformanceCase {
	return it(`${operation}: what the model does not do it has no method for`, async (model) => {
		assert.equal(model[operation], undefined);
	});
}
