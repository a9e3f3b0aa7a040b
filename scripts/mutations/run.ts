import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { copyRepository } from './copy.ts';
import { type Fault, plant } from './fault.ts';
import { faults } from './faults.ts';
import { runTests } from './run-tests.ts';

const root = resolve(import.meta.dirname, '../..');

/** Applies one fault in the copy, runs its tests, and returns the tests that failed. */
async function failuresWith(copy: string, fault: Fault): Promise<readonly string[]> {
	const path = join(copy, fault.file);
	const text = readFileSync(path, 'utf8');
	writeFileSync(path, plant(fault, text));
	try {
		return (await runTests(copy, fault.tests)).failed;
	} finally {
		writeFileSync(path, text);
	}
}

/** The tests must pass without a fault; otherwise their failures prove nothing. */
async function checkWithoutFault(copy: string, chosen: readonly Fault[]): Promise<void> {
	const tests = [...new Set(chosen.flatMap((fault) => fault.tests))];
	const { failed, files } = await runTests(copy, tests);
	if (failed.length > 0) throw new Error(`Tests fail without a fault:\n${failed.join('\n')}`);
	const missing = tests.filter((test) => !files.includes(test));
	if (missing.length > 0) throw new Error(`Test files that no project runs:\n${missing.join('\n')}`);
	console.log(`${files.length} test files pass without a fault\n`);
}

/** Applies the faults one after the other and prints a row for each. Returns how many no test detected. */
async function run(copy: string, chosen: readonly Fault[]): Promise<number> {
	await checkWithoutFault(copy, chosen);
	let undetected = 0;
	for (const fault of chosen) {
		const [first, ...others] = await failuresWith(copy, fault);
		if (first === undefined) undetected += 1;
		const more = others.length > 0 ? ` (and ${others.length} more)` : '';
		console.log(`${fault.what}\n    ${first === undefined ? 'NOT DETECTED' : `detected by ${first}${more}`}`);
	}
	return undetected;
}

const filters = process.argv.slice(2);
const chosen = faults.filter(
	({ file, what }) => filters.length === 0 || filters.some((filter) => `${file} ${what}`.includes(filter)),
);
for (const fault of chosen) plant(fault, readFileSync(join(root, fault.file), 'utf8'));
const copy = mkdtempSync(join(tmpdir(), 'plinth-mutations-'));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
copyRepository(root, copy);
const undetected = await run(copy, chosen);
console.log(`\n${chosen.length - undetected} of ${chosen.length} faults detected`);
if (undetected > 0) process.exitCode = 1;
