import { type ConformanceCase, caseMaker } from '@plinth/testing';
import type { Caller, ImageModelSubject, ImageModelSuiteOptions } from './subject.ts';

/** What a case checks. */
export type Check = (model: ImageModelSubject['model'], caller: Caller) => Promise<void>;

/** Makes a case whose model is fresh, and closed whatever happens. */
export type ModelCaseMaker = (name: string, check: Check) => ConformanceCase;

/** Binds cases to the way their model is made. */
export function modelCases({ create }: ImageModelSuiteOptions, caller: Caller): ModelCaseMaker {
	const it = caseMaker(create);
	return (name, check) => it(name, ({ model }) => check(model, caller));
}
