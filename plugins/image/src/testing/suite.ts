import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/testing';
import { type ModelCaseMaker, modelCases } from './cases.ts';
import { editingCases } from './editing.ts';
import { generatingCases, makingCases } from './making.ts';
import { runningCases } from './running.ts';
import { Caller, type ImageModelSuiteOptions, type Operation } from './subject.ts';

/** All rules of the `ImageModel` contract as cases. */
export function imageModelSuite(options: ImageModelSuiteOptions): ConformanceCase[] {
	const { supports = {} } = options;
	const it = modelCases(options, new Caller(options));
	return [
		it('the model declares the version of its interface', async (model) => {
			assert.equal(model.apiVersion, 1);
		}),
		...(supports.generate === false
			? [missingOperationCase(it, 'generate')]
			: [...operationCases(it, 'generate', options), ...generatingCases(it, options)]),
		...(supports.edit === false
			? [missingOperationCase(it, 'edit')]
			: [...operationCases(it, 'edit', options), ...editingCases(it, options)]),
	];
}

function operationCases(it: ModelCaseMaker, operation: Operation, options: ImageModelSuiteOptions): ConformanceCase[] {
	return [...makingCases(it, operation, options), ...runningCases(it, operation, options)];
}

function missingOperationCase(it: ModelCaseMaker, operation: Operation): ConformanceCase {
	return it(`${operation}: the model has no method for an unsupported operation`, async (model) => {
		assert.equal(model[operation], undefined);
	});
}
