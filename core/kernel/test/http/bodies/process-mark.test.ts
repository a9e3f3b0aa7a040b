import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ownerMark, ownerState } from '@plinth/core';
import { eventually } from '@plinth/testing';
import { afterEach, describe, expect, test } from 'vitest';

const children: ReturnType<typeof spawn>[] = [];

afterEach(() => {
	for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The mark of another process of this machine, optionally with another start time. */
function markOf(pid: number | undefined, start?: string): string {
	const [machine, , own] = ownerMark().split('-');
	return [machine, pid, start ?? own].join('-');
}

function startChild() {
	const child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
	children.push(child);
	return child;
}

describe('the mark of a process', () => {
	test('is valid in file names', () => {
		expect(ownerMark()).toMatch(/^[0-9a-f]{12}-\d+-\d+$/);
	});

	test('does not change', () => {
		expect(ownerMark()).toBe(ownerMark());
	});

	test('is recognized as running while the process runs', () => {
		expect(ownerState(ownerMark())).toBe('alive');
	});

	test('is recognized as ended after the process was killed', async () => {
		const child = startChild();
		await once(child, 'spawn');
		child.kill('SIGKILL');
		await once(child, 'exit');
		await eventually('gone', () => ownerState(markOf(child.pid)) === 'gone');
	});

	test.runIf(process.platform === 'linux')('differs from the mark of a later process with the same id', () => {
		expect(ownerState(markOf(process.pid, '1'))).toBe('gone');
	});

	test.each([
		['of another machine', '0123456789ab-1-1'],
		['without the form of a mark', 'tmp'],
		['of a blob from an older version', 'aa26a7a0-3a04-4bb5-9d3b-1f9f8a0c5f52'],
		['that is empty', ''],
	])('is unknown %s', (_sentence, mark) => {
		expect(ownerState(mark)).toBe('unknown');
	});
});
