import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The result of a run of test files. */
export interface TestRun {
	/** Tests that failed, each as `<file> > <test>`. Empty when all passed. */
	readonly failed: readonly string[];
	/** Test files that ran, as paths. A failure may end the run early. */
	readonly files: readonly string[];
	readonly output: string;
}

const projects = ['unit', 'e2e', 'lengthy', 'system', 'undisturbed', 'media', 'kills'].flatMap((name) => [
	'--project',
	name,
]);

/** The time limit of a run, in milliseconds. A fault may make tests wait for ever. */
const timeoutMs = 300_000;

/** Runs test files in a copy of the repository. A run that exceeds the time limit has failed. */
export async function runTests(copy: string, tests: readonly string[]): Promise<TestRun> {
	const report = join(copy, 'mutations-report.json');
	rmSync(report, { force: true });
	const reporter = ['--reporter=json', `--outputFile=${report}`, '--bail=5'];
	const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...reporter, ...tests], {
		cwd: copy,
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk: Buffer) => {
			output += chunk;
		});
	}
	const endGroup = () => {
		// Kills the process group, because tests start child processes.
		if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
	};
	process.once('exit', endGroup);
	let isLate = false;
	const timer = setTimeout(() => {
		isLate = true;
		endGroup();
	}, timeoutMs);
	const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
	clearTimeout(timer);
	process.off('exit', endGroup);
	if (isLate) return { failed: [`${tests[0]} > no end in ${timeoutMs / 1000} s`], files: [], output };
	if (!existsSync(report)) throw new Error(`vitest wrote no report:\n${output}`);
	return { ...readReport(copy, report, code), output };
}

interface Report {
	readonly testResults: readonly {
		readonly name: string;
		readonly status: string;
		readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
	}[];
}

function readReport(copy: string, path: string, code: number | null): Omit<TestRun, 'output'> {
	const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report;
	const failed = testResults.flatMap(({ name, status, assertionResults }) => {
		const file = relative(copy, name);
		const tests = assertionResults.filter((test) => test.status === 'failed');
		if (tests.length > 0) return tests.map(({ fullName }) => `${file} > ${fullName}`);
		return status === 'failed' ? [`${file} > its setup`] : [];
	});
	if (failed.length === 0 && code !== 0) failed.push('an unhandled error');
	return { failed, files: testResults.map(({ name }) => relative(copy, name)) };
}
