import { type ConformanceCase, caseMaker } from '@plinth/testing';
import type { Caller, ImageModelSubject, ImageModelSuiteOptions } from './subject.ts';

/** The check of a case. */
export type Check = (model: ImageModelSubject['model'], caller: Caller) => Promise<void>;

/** Creates a case with a new model, which is always closed. */
export type ModelCaseMaker = (name: string, check: Check) => ConformanceCase;

/** Creates the cases of a suite, given how their model is created. */
export function modelCases({ create }: ImageModelSuiteOptions, caller: Caller): ModelCaseMaker {
	const it = caseMaker(create);
	return (name, check) => it(name, ({ model }) => check(model, caller));
}
