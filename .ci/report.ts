import { appendFileSync, writeFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * Reports a test run to `.ci/run` in two files. `PATH.count` has the numbers of passed, failed and skipped tests, and
 * is written at the end. `PATH.faults` has a line for each failure, and is written at once, so that a killed run has
 * reported its failures. PATH is the environment variable `CI_REPORT`.
 */
export default class CiReport implements Reporter {
	readonly #path = process.env.CI_REPORT ?? 'ci-report';

	#fault(where: string, errors: readonly { message: string }[]): void {
		const reason = (errors[0]?.message ?? '').split('\n').slice(0, 6).join(' | ');
		appendFileSync(`${this.#path}.faults`, `${where}: ${reason.slice(0, 700)}\n`);
	}

	onTestCaseResult(test: TestCase): void {
		const { state, errors } = test.result();
		if (state === 'passed') return;
		this.#fault(`${test.module.relativeModuleId} > ${test.fullName} ${state}`, errors ?? []);
	}

	onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
		const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
		for (const module of modules) {
			for (const test of module.children.allTests()) count[test.result().state] += 1;
			for (const suite of module.children.allSuites())
				if (suite.errors().length > 0) this.#fault(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors());
			if (module.errors().length > 0) this.#fault(module.relativeModuleId, module.errors());
		}
		for (const error of unhandled) this.#fault('an error that no test caught', [error]);
		const { passed, failed, skipped, pending } = count;
		writeFileSync(`${this.#path}.count`, `${passed} ${failed} ${skipped + pending}\n`);
	}
}
