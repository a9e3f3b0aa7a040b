import type { ConformanceCase } from '@plinth/core/testing';
import type { Caller, ImageModelSubject, ImageModelSuiteOptions } from './subject.ts';

/** What a case checks. */
export type Check = (model: ImageModelSubject['model'], caller: Caller) => Promise<void>;

/** Makes a case whose model is fresh, and closed whatever happens. */
export type CaseMaker = (name: string, check: Check) => ConformanceCase;

/** Binds cases to the way their model is made. */
export function caseMaker({ create }: ImageModelSuiteOptions, caller: Caller): CaseMaker {
	return (name, check) => ({
		name,
		async run() {
			const subject = await create();
			try {
				await inTime(name, check(subject.model, caller));
			} finally {
				await subject.close();
			}
		},
	});
}

/** More than any case needs: a model that never answers must not leave a run without a name to look at. */
const caseMs = 60_000;

async function inTime(name: string, work: Promise<void>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(`Never settled: ${name}.`)), caseMs);
	});
	try {
		await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}
